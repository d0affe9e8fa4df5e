"""Code as users write it, which type checkers must accept; the test adds that of the docs."""

from pathlib import Path

import treegauge as tg

gold = tg.read_conllu("gold.conllu")
outputs = {"careful": gold, "hasty": [Path("run1.conllu"), Path("run2.conllu")]}
treebank = tg.concat([gold, gold[:10]])
measures = tg.measure("mdd,ttr", "gold.conllu", interval=True)
ranks = tg.rank("conll18", size=10, subsets=1000, seed=0)
certificate = tg.certify("conll18", claim="TurkuNLP > Stanford")
if certificate.holds:
    print(certificate.text)
print(ranks.table.head(3), measures.signature, len(treebank))
measures.save("measures.csv")
try:
    tg.check("gold.conllu", ud_level=3)
except tg.TreegaugeError as error:
    print(error)
