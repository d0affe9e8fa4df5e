"""Two parsers, a measure, a metric and a task for treegauge."""

from treegauge.parsing.registry import ParserEntry

# Every list of parsers imports this module; the parser itself is imported when it is used.
CHAIN = ParserEntry(
    "chain", "baseline", "attaches every word to the word before or after it",
    "treegauge_example.chain", "ChainParser", "ChainModel", "ChainOptions",
)  # fmt: skip
RANDOM = ParserEntry(
    "random", "baseline", "draws heads and relations at random",
    "treegauge_example.random_parser", "RandomParser", "RandomModel", "RandomOptions",
)  # fmt: skip
