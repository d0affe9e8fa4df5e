"""The type of a fuzzer, and the list of fuzzers."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from random import Random

NAMES = (
    "reader", "reader_files", "validator", "validator_files", "repair", "scorer", "scorer_enhanced",
    "fixes", "tables", "plans", "models", "stores", "page", "answers",
)  # fmt: skip
"""Fuzzers; each is a module of this name with a `TARGET`."""


@dataclass(frozen=True)
class Target:
    """A fuzzer.

    Attributes
    ----------
    holds
        The property that must hold for every input, as a sentence for the documentation.
    make
        Make an input from random numbers; equal seeds give equal inputs.
    check
        Try an input and return the outcome as a word, such as ``"refused"``; any exception is a
        finding.
    vary
        Change an input a little, for the coverage-guided run.
    each
        Number of inputs that one seed gives: the sentences of a file, where each is judged.
    """

    holds: str
    make: Callable[[Random], bytes]
    check: Callable[[bytes], str]
    vary: Callable[[bytes, Random], bytes]
    each: int = 1


def load(name: str) -> Target:
    """Return the fuzzer of this name."""
    target = import_module(f"tools.fuzz.{name}").TARGET
    assert isinstance(target, Target)
    return target
