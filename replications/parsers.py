"""Scores of our neural parsers and their times, kept from runs elsewhere."""

from replications.parts import kept

PARTS = (
    kept("paradigms", "Graph, pointer and labelling parsers on five treebanks",
         "GPU: replications/paradigms.py train, then python -m replications.paradigms table; "
         "about 10 min on one H200"),
    kept("experiment1", "Fragility's Experiment 1 with our parsers, by treebank",
         "GPU: python -m replications.experiment1 tag, encode, train and table; 47 min of "
         "processor time for taggers, 12 min on one H200"),
    kept("experiment1_subsets", "Fragility's Experiment 1 with our parsers, by subset",
         "GPU: python -m replications.experiment1 table, from the runs of experiment1; 12 min"),
    kept("supar_cpu", "Our biaffine parser and SuPar's on one core",
         "long: python -m replications.supar_cpu; about 15 min of one core"),
)  # fmt: skip
