"""A check: a function of a sentence that yields the numbers of words, and what is wrong with each."""

from collections.abc import Iterator
from itertools import pairwise

from treegauge.treebanks.data.sentence import Sentence


def no_word_twice(sentence: Sentence) -> Iterator[tuple[int, str]]:
    """another word than the one before"""
    forms = [form.lower() for form in sentence.form]
    for number, (before, form) in enumerate(pairwise(forms), 2):
        if before == form and form.isalpha():
            yield number, f"FORM {sentence.form[number - 1]!r} twice"
