"""The papers behind the numbers, as BibTeX."""

from typing import NamedTuple


class Reference(NamedTuple):
    """A paper: what is cited, and its BibTeX entry."""

    cited: str
    bibtex: str


def _entry(kind: str, key: str, **fields: str) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


REFERENCES = {
    "zeman2018": Reference(
        "Zeman et al. (2018)",
        _entry(
            "inproceedings",
            "zeman2018conll",
            author="Zeman, Daniel and Haji{\\v{c}}, Jan and Popel, Martin and Potthast, Martin "
            "and Straka, Milan and Ginter, Filip and Nivre, Joakim and Petrov, Slav",
            title="{CoNLL} 2018 Shared Task: Multilingual Parsing from Raw Text to Universal "
            "Dependencies",
            booktitle="Proceedings of the {CoNLL} 2018 Shared Task: Multilingual Parsing from "
            "Raw Text to Universal Dependencies",
            pages="1--21",
            year="2018",
        ),
    ),
    "fragility": Reference(
        "Alonso-Alonso, Vilares and Gómez-Rodríguez (2022)",
        _entry(
            "inproceedings",
            "alonso2022fragility",
            author="Alonso-Alonso, Iago and Vilares, David and G{\\'o}mez-Rodr{\\'i}guez, Carlos",
            title="The Fragility of Multi-Treebank Parsing Evaluation",
            booktitle="Proceedings of the 29th International Conference on Computational "
            "Linguistics",
            year="2022",
        ),
    ),
    "edv": Reference(
        "Anderson and Gómez-Rodríguez (2022)",
        _entry(
            "article",
            "anderson2022edv",
            author="Anderson, Mark and G{\\'o}mez-Rodr{\\'i}guez, Carlos",
            title="The Impact of Edge Displacement {V}aserstein Distance on {UD} Parsing "
            "Performance",
            journal="Computational Linguistics",
            year="2022",
        ),
    ),
    "difficulty": Reference(
        "Kulmizev and Nivre (2023)",
        _entry(
            "inproceedings",
            "kulmizev2023difficulty",
            author="Kulmizev, Artur and Nivre, Joakim",
            title="Investigating {UD} Treebanks via Dataset Difficulty Measures",
            booktitle="Proceedings of the 17th Conference of the European Chapter of the "
            "Association for Computational Linguistics",
            year="2023",
        ),
    ),
    "challenges": Reference(
        "Aufrant, Wisniewski and Yvon (2018)",
        _entry(
            "inproceedings",
            "aufrant2018challenges",
            author="Aufrant, Lauriane and Wisniewski, Guillaume and Yvon, Fran{\\c{c}}ois",
            title="Quantifying Training Challenges of Dependency Parsers",
            booktitle="Proceedings of the 27th International Conference on Computational "
            "Linguistics",
            pages="3191--3202",
            year="2018",
        ),
    ),
    "swayamdipta2020": Reference(
        "Swayamdipta et al. (2020)",
        _entry(
            "inproceedings",
            "swayamdipta2020cartography",
            author="Swayamdipta, Swabha and Schwartz, Roy and Lourie, Nicholas and Wang, Yizhong "
            "and Hajishirzi, Hannaneh and Smith, Noah A. and Choi, Yejin",
            title="Dataset Cartography: Mapping and Diagnosing Datasets with Training Dynamics",
            booktitle="Proceedings of the 2020 Conference on Empirical Methods in Natural "
            "Language Processing",
            year="2020",
        ),
    ),
}
