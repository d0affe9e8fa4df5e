"""The numbers in Tables 1 and 2 and in the text of the Challenges paper."""

PARSERS = {"BEAM": ("panparser", "beam"), "MSTPARSER": ("mstparser", "mst"), "UDPIPE": ("udpipe", "udpipe")}
"""The paper's parsers: our preset of the published configuration, and our own options.

Whole curves of UDPipe exist with preset ``fast`` only.
"""

# Tag and value, COMPLEXITY ascending and UAS at 500 sentences descending. The text at hand has lost
# the arrows that tell the two directions of a tag apart.
COMPLEXITY = {
    "BEAM": "ADP -18.8, DET -18.7, PRON -0.6, AUX 0.2, ADJ 1.9, CCONJ 6.3, NOUN 7.6, ADV 9.6, "
    "VERB 12.6, PROPN 23.4, SCONJ 35.0, NOUN 42.0, PROPN 49.5, VERB 52.5, ADJ 57.7, AUX 68.0, "
    "ADP 131.2",
    "MSTPARSER": "ADP -27.7, DET -24.1, ADJ -15.4, VERB -3.5, CCONJ 6.2, PRON 8.7, PROPN 13.1, "
    "ADV 13.8, NOUN 23.4, AUX 28.9, NOUN 34.2, ADJ 47.4, SCONJ 53.8, PROPN 55.5, AUX 56.7, "
    "VERB 83.8, ADP 89.1",
    "UDPIPE": "ADP -33.3, AUX -24.5, CCONJ -5.3, DET -3.7, ADV -2.3, ADJ 0.7, PRON 3.3, "
    "PROPN 12.5, NOUN 25.3, VERB 26.0, AUX 28.3, NOUN 35.5, SCONJ 35.9, ADJ 45.1, ADP 51.0, "
    "PROPN 51.8, VERB 75.1",
}
UAS = {
    "BEAM": "DET 91.3, ADP 89.0, AUX 83.9, PRON 82.4, SCONJ 80.2, ADJ 80.0, CCONJ 77.1, ADV 76.1, "
    "VERB 75.1, PROPN 69.0, PROPN 68.4, NOUN 68.2, NOUN 67.9, ADJ 60.6, VERB 56.4, AUX 52.8, "
    "ADP 48.0",
    "MSTPARSER": "DET 90.6, ADP 89.3, AUX 80.8, ADJ 79.8, PRON 79.6, VERB 76.0, CCONJ 74.9, "
    "ADV 74.3, SCONJ 72.7, NOUN 67.8, PROPN 67.2, PROPN 67.1, NOUN 64.7, ADJ 57.0, AUX 56.4, "
    "VERB 50.6, ADP 50.5",
    "UDPIPE": "DET 89.9, ADP 89.0, AUX 84.3, SCONJ 81.0, PRON 80.3, ADJ 79.9, CCONJ 76.1, "
    "ADV 74.6, VERB 73.9, PROPN 73.9, NOUN 69.9, NOUN 65.6, PROPN 65.0, ADJ 56.9, VERB 53.8, "
    "AUX 44.4, ADP 42.2",
}
LOW_AUX = ("UDPIPE", "COMPLEXITY", "AUX")
"""Section 3.2: UDPipe's AUX class of low UAS has a low COMPLEXITY, so -24.5 belongs to AUX ←."""
LEFT = {("NOUN", "COMPLEXITY"), ("PROPN", "UAS")}
"""Tags whose simpler, or more accurate, direction has the head to the left."""
NAMED = {"ADP", "AUX"}
"""Tags of which the text says which direction has which value."""
CLASSES = (
    "ADJ ←", "ADJ →", "ADP ←", "ADP →", "ADV →", "AUX ←", "AUX →", "CCONJ →", "DET →", "NOUN ←",
    "NOUN →", "PRON →", "PROPN ←", "PROPN →", "SCONJ →", "VERB ←", "VERB →",
)  # fmt: skip
"""The 17 classes of Table 1."""

# Simple, overall and complex UAS, partitions by BEAM.
TABLE2 = {
    "BEAM": {"10": "71.1 59.0 42.7", "500": "82.9 76.1 67.1", "full": "87.3 82.6 76.4"},
    "MSTPARSER": {"10": "64.4 52.8 36.9", "500": "82.7 75.1 64.9", "full": "88.2 83.4 77.1"},
    "UDPIPE": {"10": "52.8 42.5 28.4", "500": "81.8 74.7 65.2", "full": "87.6 83.2 77.3"},
}
SPEARMAN = {"BEAM": "-.886", "MSTPARSER": "-.882", "UDPIPE": "-.576"}
TREEBANKS = 56
SIDES = ("simple", "all", "complex")


def directions(parser: str, value: str) -> dict[str, tuple[str, str]]:
    """Return the printed value of each class, and how its direction is known.

    The text tells them apart for ADP and AUX, and says that NOUN ← is learned early. Otherwise the
    simpler and the more accurate direction of a tag is the one that BEAM has here: head right,
    except for the accuracy of proper nouns.

    Examples
    --------
    >>> directions("UDPIPE", "COMPLEXITY")["AUX ←"], directions("UDPIPE", "UAS")["AUX ←"]
    (('-24.5', 'text'), ('44.4', 'text'))
    >>> directions("BEAM", "COMPLEXITY")["NOUN ←"]
    ('7.6', 'order')
    """
    printed = COMPLEXITY if value == "COMPLEXITY" else UAS
    pairs = [one.rsplit(" ", 1) for one in printed[parser].split(", ")]
    twice = {name.split()[0] for name in CLASSES if name.endswith("←")}
    found: dict[str, tuple[str, str]] = {}
    for tag, number in pairs:
        left = (tag, value) in LEFT or (parser, value, tag) == LOW_AUX
        first = f"{tag} {'←' if left else '→'}"
        other = f"{tag} {'→' if first.endswith('←') else '←'}"
        known = "only one" if tag not in twice else "text" if tag in NAMED else "order"
        found[other if first in found else first] = (number, known)
    return found
