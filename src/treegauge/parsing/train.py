"""Training of a parser, from a treebank to a model in a file."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from treegauge.core.errors import TreegaugeError
from treegauge.core.file_kinds import MODEL
from treegauge.core.messages import note
from treegauge.core.result import RowsResult, sign
from treegauge.core.verbs import verb

if TYPE_CHECKING:
    from treegauge.parsing.base import Model
    from treegauge.parsing.probabilities.fit_confidence import ModelCalibration
    from treegauge.treebanks.data.columns import Treebank


@dataclass(frozen=True)
class Training(RowsResult, kind="training"):
    """A trained model and its file; :func:`treegauge.parse` accepts both.

    The table has one row: the model, its parser, and the size of the training and dev sets.
    """

    model: "Model"
    path: str
    calibration: "ModelCalibration | None" = None


@verb(outputs={"out": MODEL})
def train(
    parser: str, treebank: "Treebank | str | PathLike[str] | IO[str] | IO[bytes]", *,
    out: str | PathLike[str],
    dev: "Treebank | str | PathLike[str] | IO[str] | IO[bytes] | None" = None,
    preset: str | None = None, option: Sequence[str] | Mapping[str, Any] = (),
    held_out: float | None = None, seed: int = 0,
    errors: Literal["strict", "skip", "repair"] = "strict",
    calibrate: Literal["dev", "folds", "both", "none"] = "dev",
) -> Training:  # fmt: skip
    """Train a parser.

    Given a treebank folder or name, uses its training set and, for early stopping, its dev set.
    Models of parsers that read UPOS include a tagger for text without tags. The result has its
    accuracy on the dev set, and the LAS there with gold and with predicted tags.

    Parameters
    ----------
    parser
        Name of a parser; ``treegauge train --list`` lists them.
    treebank
        A CoNLL-U file, a treebank folder, or the name or code of a treebank under ``TREEGAUGE_UD``.
    out
        The file to write.
    dev
        A dev set, for parsers that stop early or keep the best epoch.
    preset
        Start from the options of a publication, such as ``gb-DM17``; ``train --list PARSER``
        lists them. Options given with ``--option`` override them.
    option
        An option of the parser, such as ``epochs=5``; repeatable. In Python also a mapping.
    held_out
        Share of the training set to hold out as a dev set if there is none; 0 for none. Default:
        0.2 for the neural parsers, which keep the best epoch, and 0 for the others.
    calibrate
        Data for calibrating the probabilities of ``parse --confidence``: the dev set if there is
        one, folds of the training set (trains up to five more models), both, or none.

    Examples
    --------
    >>> from treegauge.testing.synthetic import synthetic
    >>> trained = train("mst", synthetic(30, seed=1), out="/dev/null", option={"epochs": 1})
    >>> len(trained.model.parse(synthetic(3, seed=2)))
    3
    """
    from treegauge.parsing.base import check_place
    from treegauge.parsing.options import find_preset, read_options, with_preset
    from treegauge.parsing.probabilities.held_out import SHARE, calibrate_model, check_folds, hold_out, save_calibration
    from treegauge.parsing.registry import find_parser, fit_parser, parser_with
    from treegauge.parsing.tag_sources import note_training, tag_report, with_tagger

    entry = find_parser(parser)
    published = None if preset is None else find_preset(parser, preset)
    options = read_options(entry.options, with_preset(published, option))
    chosen = parser_with(parser, options)
    check_place(out)
    gold, held = _read_sets(treebank, dev, errors)
    if gold.n_words == 0:
        raise TreegaugeError(f"{gold.name} has no words to train on")
    share = held_out if held_out is not None else SHARE * entry.keeps_best_epoch
    if not 0 <= share < 1:
        raise TreegaugeError(f"held-out is {share}; expected a share from 0 to less than 1")
    if held is not None:
        if held_out:
            note(f"nothing is held out: {held.name} is the dev set")
        if held.digest == gold.digest:
            note(f"{held.name} is the training set: early stopping and calibration need a dev set with other sentences")
        share = 0.0
    if share:
        whole, (gold, held) = len(gold), hold_out(gold, share, seed=seed)
        note(
            f"no dev set: {len(held):,} of {whole:,} training sentences ({share:.0%}) are held out as the "
            "dev set; use --held-out 0 to train on all"
        )
    note_training(options, gold)
    note(f"training {parser} on {len(gold):,} sentences ({gold.n_words:,} words)")
    if calibrate in {"folds", "both"}:
        check_folds(entry, gold)
    start = time.perf_counter()
    model = with_tagger(fit_parser(chosen, gold, held, seed=seed), gold, seed=seed)
    fitted = calibrate_model(calibrate, chosen, model, gold, held, seed)
    model.save(out)
    save_calibration(out, fitted)
    note(f"trained {parser} in {in_words(time.perf_counter() - start)}")
    row = {
        "model": Path(out).name, "parser": parser, "treebank": gold.name, "sentences": len(gold),
        "words": gold.n_words, "dev": 0 if held is None else len(held), "seed": seed,
        **tag_report(model, held),
    }  # fmt: skip
    usual = entry.options() if published is None else entry.options(**published.options)
    changed = [f"{key}={value}" for key, value in vars(options).items() if value != getattr(usual, key)]
    signature = sign(
        v="train", parser=parser, preset=None if published is None else published.name,
        options=",".join(changed) or None, tb=gold.mark, dev=None if held is None else held.mark,
        held_out=share or None, seed=seed, calibrate=calibrate if calibrate != "dev" else None,
    )  # fmt: skip
    return Training([row], signature, model, fspath(out), fitted)


def _read_sets(source: Any, dev: Any, errors: Any) -> "tuple[Treebank, Treebank | None]":
    """Read the training set, and the dev set that was given or is in the same folder."""
    from treegauge.treebanks.sources.inputs import recognise_treebanks
    from treegauge.treebanks.sources.resolver import folder_name, read_treebank

    held = None if dev is None else read_treebank(dev, errors=errors)
    if not isinstance(source, str | PathLike) or folder_name(source) is None:
        return read_treebank(source, errors=errors), held
    if held is None and "dev" in recognise_treebanks([source])[0].splits:
        held = read_treebank(source, "dev", errors)
    return read_treebank(source, "train", errors), held


def in_words(seconds: float) -> str:
    """Return a time in words.

    Examples
    --------
    >>> in_words(0.3), in_words(20.2), in_words(725), in_words(9000)
    ('0.3 s', '20 s', '12 minutes', '2.5 hours')
    """
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
