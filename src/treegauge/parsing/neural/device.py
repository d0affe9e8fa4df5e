"""Devices, threads and precision, and work recorded as CUDA graphs."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from treegauge.core.errors import TreegaugeError

Work = Callable[[Tensor, int], None]
"""A function of sentences (models, rows), padded to a width."""


def choose_device(name: str) -> torch.device:
    """Return the device of this name; ``auto`` is a GPU if there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        return torch.device(name)
    except RuntimeError as error:
        raise TreegaugeError(f"option device is {name!r}; expected auto, cpu, cuda or cuda:NUMBER") from error


@contextmanager
def numerics(device: torch.device, threads: int) -> Iterator[None]:
    """Set the numerics of this package: fixed threads on a CPU, TF32 products on a GPU."""
    before, precision = torch.get_num_threads(), torch.get_float32_matmul_precision()
    torch.set_num_threads(threads)
    if device.type == "cuda":
        torch.set_float32_matmul_precision("high")
    try:
        with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
            yield
    finally:
        torch.set_num_threads(before)
        torch.set_float32_matmul_precision(precision)


class Graphs:
    """Work that is recorded once per shape and replayed: one launch instead of thousands.

    `warm` is work without effect that initialises all libraries that the recorded work needs.
    """

    def __init__(self, warm: Work) -> None:
        self._warm = warm
        self._graphs: dict[tuple[Any, ...], tuple[Any, Tensor]] = {}
        self._pool: Any = None

    def run(self, work: Work, sentences: Tensor, width: int) -> None:
        """Do the work on these sentences."""
        key = (work.__name__, *sentences.shape, width)
        if key not in self._graphs:
            self._graphs[key] = self._record(work, sentences, width)
        graph, given = self._graphs[key]
        given.copy_(sentences)
        graph.replay()

    def _record(self, work: Work, sentences: Tensor, width: int) -> tuple[Any, Tensor]:
        """Capture work without doing it."""
        given = sentences.clone()
        if self._pool is None:
            self._pool = torch.cuda.graph_pool_handle()
            stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                self._warm(given, width)
            torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with _nothing_freed(), torch.cuda.graph(graph, pool=self._pool):
            work(given, width)
        return graph, given


@contextmanager
def _nothing_freed() -> Iterator[None]:
    """Disable the garbage collector: freeing an old model's graphs breaks a recording."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
