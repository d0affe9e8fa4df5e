"""``treegauge synthesise``: treebanks from an invented grammar with dials."""

from dataclasses import fields
from typing import Annotated

import typer


def synthesise(
    sentences: Annotated[int, typer.Argument(help="How many sentences.")],
    out: Annotated[str, typer.Option("--out", "-o", help="Where to; - is stdout.")] = "-",
    dial: Annotated[
        list[str] | None, typer.Option("--dial", "-d", help="A dial and its value: length=20.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same bytes.")] = 0,
) -> None:
    """Draw a treebank of known properties: valid UD with all layers, no real text.

    Dials: basic_order, order_freedom, case_marking, function_words, nonprojectivity, contractions,
    vocabulary, zipf, length, label_noise, language.
    """
    from treegauge.results.errors import ChoiceError, TreegaugeError
    from treegauge.testing.grammar_dials import Grammar
    from treegauge.testing.synthetic import synthetic
    from treegauge.treebanks.conllu import write_conllu

    defaults = {field.name: getattr(Grammar(), field.name) for field in fields(Grammar)}
    dials: dict[str, int | float | str] = {}
    for word in dial or []:
        name, _, value = word.partition("=")
        if name not in defaults:
            raise ChoiceError("dial", name, defaults)
        try:
            dials[name] = type(defaults[name])(value)
        except ValueError:
            raise TreegaugeError(
                f"dial {name}: found {value!r}, expected one such as {defaults[name]!r}"
            ) from None
    grammar = Grammar(**dials)  # type: ignore[arg-type]
    write_conllu(synthetic(sentences, grammar, seed=seed), out)
