"""Words whose head or relation changed between two versions of a treebank, one row each."""

import numpy as np
import polars as pl

from treegauge.auditing.changes.changed_words import WordPairs, pair_words
from treegauge.auditing.changes.systematic import MOVES, Contexts, Layer, head_moves, systematic_changes
from treegauge.treebanks.data.columns import Treebank


def attachment_changes(old: Treebank, new: Treebank, *, pairs: WordPairs | None = None) -> pl.DataFrame:
    r"""Return the words whose head or relation changed, with systematic changes marked.

    Parameters
    ----------
    old, new
        Two versions of a treebank: releases, branches, annotators.
    pairs
        Their paired words, if already computed.

    Returns
    -------
    polars.DataFrame
        One row per word: ``old_sentence``, ``new_sentence``, ``old_word``, ``new_word`` (numbers
        from 0 in their treebanks), ``id`` (position in the old sentence), ``form``, ``upos`` (the
        old ones), ``old_head``, ``new_head`` (positions), ``old_deprel``, ``new_deprel``, ``move``
        (where the new head was in the old tree), ``head_changed``, ``deprel_changed``,
        ``same_words`` (the two sentences have the same forms), and ``systematic``: all changes of
        head and relation are systematic (see
        :func:`treegauge.auditing.changes.systematic.systematic_changes`).

    Examples
    --------
    >>> from treegauge.treebanks.data.conllu import parse_conllu
    >>> old = parse_conllu("1\tA\t_\tX\t_\t_\t2\tdet\t_\t_\n2\tB\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    >>> new = old.with_columns({"deprel": ["nmod", "root"]})
    >>> attachment_changes(old, new).select("form", "old_deprel", "new_deprel", "systematic").rows()
    [('A', 'det', 'nmod', False)]
    """
    paired = pairs or pair_words(old, new)
    contexts = Contexts(paired)
    moves = Layer("head", np.zeros(len(paired), np.int32), head_moves(paired), list(MOVES))
    relations = Layer("deprel", *paired.codes("deprel"))
    unruly = np.zeros(len(paired), np.bool_)
    for layer in (moves, relations):
        unruly |= layer.changed & (systematic_changes(layer, contexts).rule_of < 0)
    rows = np.flatnonzero(moves.changed | relations.changed)
    before, after = paired.old_words[rows], paired.new_words[rows]
    one, two = old.sentence_of[before], new.sentence_of[after]
    forms, uposes = old.codes("form"), old.codes("upos")

    def texts(codes: "np.ndarray[tuple[int], np.dtype[np.int32]]", values: list[str]) -> pl.Series:
        return pl.Series([values[code] for code in codes.tolist()], dtype=pl.String)

    return pl.DataFrame(
        {
            "old_sentence": one,
            "new_sentence": two,
            "old_word": before,
            "new_word": after,
            "id": old.positions[before],
            "form": texts(forms.codes[before], forms.values),
            "upos": texts(uposes.codes[before], uposes.values),
            "old_head": old.head[before],
            "new_head": new.head[after],
            "old_deprel": texts(relations.old[rows], relations.values),
            "new_deprel": texts(relations.new[rows], relations.values),
            "move": texts(moves.new[rows], moves.values),
            "head_changed": moves.changed[rows],
            "deprel_changed": relations.changed[rows],
            "same_words": paired.same_words[one],
            "systematic": ~unruly[rows],
        }
    )
