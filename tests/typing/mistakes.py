"""Five planted mistakes: type checkers must report each line that has the comment, and no other."""

import treegauge as tg

tg.score("gold.conllu", "a.conllu", metrc=["LAS"])  # mistake: no such parameter
tg.score("gold.conllu", "a.conllu", units="sentence")  # mistake: no such unit
tg.rank.compare("conll18", size=10)  # mistake: a parameter of rank, not of its subverb
tg.curve.advice("counts.csv", budget=200)  # mistake: no such subverb
tg.audit("UD_Greek-GDT").tabel  # mistake: no such attribute  # noqa: B018
