"""The treebanks of UD 2.0 that the Challenges paper used, as far as they are at hand.

Of the 73 treebanks 56 have 500 training sentences and a test set. 52 of them are at hand (not
Arabic, Czech-PDT, Hindi and Russian-SynTagRus). Of 16 the training set is, and its first 500
sentences are sampled, as in the paper; of the other 36, whose training sets are too large to be
kept, the first sentences of the dev set stand for it, and the ten after them for the dev set.
"""

from functools import cache

from studies.treebanks import release_folder
from treegauge.treebanks.data.columns import Treebank
from treegauge.treebanks.data.conllu import read_splits

RELEASE = "r2.0"
AVAILABLE, DEV = 500, 10
TRAINED = tuple(
    """
    English-LinES English-ParTUT Estonian-EDT French-Sequoia Gothic-PROIEL Greek-GDT
    Hungarian-Szeged Indonesian-GSD Korean-GSD Latin-Perseus Latvian-LVTB
    Old_Church_Slavonic-PROIEL Slovenian-SST Swedish-LinES Turkish-IMST Vietnamese-VTB
    """.split()
)
"""Treebanks whose training set is at hand."""
FROM_DEV = tuple(
    """
    Ancient_Greek-PROIEL Ancient_Greek-Perseus Basque-BDT Bulgarian-BTB Catalan-AnCora Chinese-GSD
    Croatian-SET Czech-CAC Danish-DDT Dutch-Alpino Dutch-LassySmall English-EWT Finnish-FTB
    Finnish-TDT French-GSD Galician-CTG German-GSD Hebrew-HTB Italian-ISDT Japanese-GSD Latin-ITTB
    Latin-PROIEL Norwegian-Bokmaal Norwegian-Nynorsk Persian-Seraji Polish-PDB Portuguese-Bosque
    Portuguese-GSD Romanian-RRT Russian-GSD Slovak-SNK Slovenian-SSJ Spanish-AnCora Spanish-GSD
    Swedish-Talbanken Urdu-UDTB
    """.split()
)
"""Treebanks of which the dev set stands for the training set."""
CURVES = tuple(sorted((*TRAINED, *FROM_DEV)))


@cache
def splits(name: str) -> dict[str, Treebank]:
    """Return training, dev and test set of a treebank; dev stands for a training set not at hand.

    Hebrew, Chinese and Swedish-Talbanken have 484, 500 and 504 dev sentences: the largest sample of
    these is of all but the last ten.
    """
    sets = read_splits(release_folder(RELEASE) / f"UD_{name}")
    return from_dev(sets) if name in FROM_DEV else sets


def from_dev(sets: dict[str, Treebank]) -> dict[str, Treebank]:
    """Return the sets with the dev set for the training set, and the next sentences for dev."""
    dev = sets["dev"]
    size = min(AVAILABLE, len(dev) - DEV)
    return sets | {"train": dev[:size], "dev": dev[size : size + DEV]}
