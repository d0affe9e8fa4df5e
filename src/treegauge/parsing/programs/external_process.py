"""Run external programs without a shell and within limits, and read their trees.

All processes that a program started are ended with it, and with treegauge.
"""

import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from pathlib import Path
from time import monotonic
from typing import IO, Any, NoReturn

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import progress
from treegauge.core.platforms import ending_signals
from treegauge.core.safe_reading import LARGEST
from treegauge.parsing.programs.supervisor import start_supervised, stop_supervised
from treegauge.treebanks.data.columns import Treebank, closed
from treegauge.treebanks.data.conllu import parse_conllu
from treegauge.treebanks.data.problems import ConlluError

_BEAT = 1.0  # seconds between two checks of a program
_LINES, _WIDTH = 15, 300  # lines of a program's last messages in an error


class CommandError(TreegaugeError):
    """An external program could not be started, failed, or exceeded a limit."""


@dataclass(frozen=True)
class ProgramLimits:
    """Limits of a program.

    Attributes
    ----------
    timeout
        Seconds until it is killed, 0 for no limit; and when they began, by default at its start.
    memory
        GiB of data of each of its processes, 0 for no limit (Linux only).
    output, place
        Bytes of the output that is read from it; and the file that it writes it to, if any.
    files
        Bytes of all files in its folder.
    """

    timeout: float = 0
    start: float | None = None
    memory: float = 0
    output: int = LARGEST
    files: int = LARGEST
    place: Path | None = None


NO_LIMITS = ProgramLimits()
LOG = 1 << 20
"""Number of bytes kept of a program's messages."""


def run_program(
    words: Sequence[str], *, what: str, folder: Path, log: Path, given: Path | None = None,
    output: Path | None = None, room: Path | None = None, limits: ProgramLimits = NO_LIMITS,
    environment: Mapping[str, str] | None = None,
) -> None:  # fmt: skip
    """Run a program to its end; beyond a limit, it and its processes are killed.

    Parameters
    ----------
    words
        The command.
    what
        Name of the program in messages.
    folder
        Its folder, which is removed if treegauge is killed while it runs.
    log
        Gets the end of its standard error, and of its standard output unless there is `output`.
    given, output
        Files for its standard input and output.
    room
        Where it runs, by default in `folder`.
    limits
        Limits of time, memory and output.
    environment
        Further environment variables.
    """
    surroundings = {**os.environ, "PYTHONUTF8": "1", **(environment or {})}
    if shutil.which(words[0], path=surroundings.get("PATH")) is None:
        raise CommandError(f"{what}: cannot start {words[0]!r}: no such program here")
    end = (monotonic() if limits.start is None else limits.start) + (limits.timeout or inf)
    with _raised_signals(), open(output or os.devnull, "wb") as target:  # noqa: PTH123
        process = start_supervised(
            words, given=given or Path(os.devnull), folder=room or folder, temporary=folder,
            memory=int(limits.memory * 2**30), largest=max(limits.files, limits.output),
            environment=surroundings, stderr=subprocess.PIPE if output else subprocess.STDOUT,
        )  # fmt: skip
        messages = _Pump(process.stderr if output else process.stdout)
        results = _Pump(process.stdout, target, limits.output) if output else messages
        excess = None
        try:
            excess = _wait(process, what, end, results, folder, limits)
        finally:
            stop_supervised(process)
            results.join(_BEAT)
            messages.join(_BEAT)
            with log.open("ab") as said:
                said.write(messages.tail)
    if excess := excess or _excess(results, folder, limits):
        raise CommandError(f"{what} was stopped: {excess}{last_words(log)}")
    if status := process.returncode:
        cause = f"ended with status {status}"
        if status < 0:
            cause = f"was killed by {signal.Signals(-status).name}"
        limit = f" (it was allowed {limits.memory:g} GiB: option memory)" * bool(limits.memory)
        raise CommandError(f"{what} {cause}{limit}{last_words(log)}")


class _Pump(threading.Thread):
    """Reads a program's messages, and keeps their end; or copies its output, up to a limit."""

    def __init__(self, source: IO[bytes] | None, target: IO[bytes] | None = None, limit: int = 0) -> None:
        super().__init__(daemon=True)
        self.source: Any = source
        self.target, self.limit = target, limit
        self.tail = bytearray()
        self.count = 0
        self.start()

    def run(self) -> None:
        """Read to the end; nothing is written beyond the limit."""
        with suppress(OSError, ValueError), self.source:
            while data := self.source.read1(1 << 16):
                self.count += len(data)
                if self.target is None:
                    self.tail += data
                    del self.tail[: max(len(self.tail) - LOG, 0)]
                elif self.count <= self.limit:
                    self.target.write(data)

    @property
    def is_full(self) -> bool:
        """Whether more was written than is allowed."""
        return self.target is not None and self.count > self.limit


def _excess(results: _Pump, folder: Path, limits: ProgramLimits) -> str | None:
    """Return what a program has written too much of, or None."""
    written = 0
    with suppress(OSError):
        written = limits.place.lstat().st_size if limits.place else 0
    if results.is_full or written > limits.output:
        return f"its output has more than {limits.output:,} bytes"
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # it is removed in the meantime
                size += os.lstat(f"{place}/{name}").st_size
    return f"its files have more than {limits.files:,} bytes" if size > limits.files else None


def _wait(
    process: "subprocess.Popen[bytes]", what: str, end: float, results: _Pump, folder: Path, limits: ProgramLimits
) -> str | None:
    """Wait for a program to end, with a progress display; return the limit that it exceeds."""
    with progress(what) as task:
        while True:
            left = max(end - monotonic(), 0.0)
            with suppress(subprocess.TimeoutExpired):
                process.wait(min(left, _BEAT))
                return None
            if left <= _BEAT:
                return f"it did not end within {limits.timeout:g} seconds (option timeout)"
            if found := _excess(results, folder, limits):
                return found
            task.update(0)


def log_tail(log: Path, size: int) -> str:
    """Return the last bytes of a log as text."""
    with log.open("rb") as file:
        file.seek(max(log.stat().st_size - size, 0))
        return file.read().decode(errors="replace")


def last_words(log: Path) -> str:
    """Return the last lines of a log, formatted for an error."""
    text = log_tail(log, _LINES * _WIDTH).replace("\r", "\n")
    lines = [line[:_WIDTH] for line in text.splitlines() if line.strip()][-_LINES:]
    return "\n".join(["; its last messages:", *(f"  {line}" for line in lines)]) if lines else ""


@contextmanager
def _raised_signals() -> Iterator[None]:
    """Turn termination signals into exceptions, so that programs end together with treegauge.

    They run in their own sessions, so that no terminal or queue would end them.
    """

    def leave(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    ours = threading.current_thread() is threading.main_thread()
    taken = [one for one in ending_signals() if ours and signal.getsignal(one) is signal.SIG_DFL]
    for one in taken:
        signal.signal(one, leave)
    try:
        yield
    finally:
        for one in taken:
            signal.signal(one, signal.SIG_DFL)


_SPACE = re.compile(r"\s")
_WORD = re.compile(r"\d+")
_HEAD, _DEPREL, _DEPS = 6, 7, 8


def to_conllx(treebank: Treebank, *, heads: str | None = None) -> bytes:
    """Write a treebank in the format of the CoNLL-X task.

    Comments, multiword tokens and empty nodes are removed; UPOS is in both columns of tags; spaces
    inside fields become underscores. `heads` replaces every head, with ``_`` as its relation; None
    keeps the trees.
    """
    columns = [[_joined(v) for v in treebank[name]] for name in ("form", "lemma", "upos", "feats")]
    trees = treebank.head.tolist(), [_joined(v) for v in treebank["deprel"]]
    lines = []
    for start, stop in pairwise(treebank.offsets.tolist()):
        for number, word in enumerate(range(start, stop), start=1):
            form, lemma, upos, feats = (column[word] for column in columns)
            head, deprel = (heads, "_") if heads is not None else (trees[0][word], trees[1][word])
            lines.append(f"{number}\t{form}\t{lemma}\t{upos}\t{upos}\t{feats}\t{head}\t{deprel}\t_\t_\n")
        lines.append("\n")
    return "".join(lines).encode()


def _joined(text: str) -> str:
    """Return a field without spaces of any kind."""
    return _SPACE.sub("_", text)


def to_unparsed(treebank: Treebank, *, heads: str) -> bytes:
    """Write a treebank as CoNLL-U without its trees, so that no program can copy them."""
    count = treebank.n_words
    return _with_fields(treebank, {_HEAD: [heads] * count, _DEPREL: ["_"] * count, _DEPS: ["_"] * count})


def _with_fields(treebank: Treebank, values: dict[int, list[str]]) -> bytes:
    """Replace fields of the words in the text; the result need not be a valid treebank."""
    raw, starts = treebank.raw.tobytes(), treebank.fields[treebank.rows].tolist()
    new = {number: [text.encode() for text in values[number]] for number in sorted(values)}
    bounds = treebank.offsets.tolist()
    sentences = []
    for sentence, (first, stop) in enumerate(treebank.spans.tolist()):
        at, parts = first, []
        for word in range(bounds[sentence], bounds[sentence + 1]):
            for number, column in new.items():
                parts += [raw[at : starts[word][number]], column[word]]
                at = starts[word][number + 1] - 1
        sentences.append(closed(b"".join([*parts, raw[at:stop]])))
    return b"".join(sentences)


def with_output(
    treebank: Treebank, data: bytes, *, fmt: str, what: str, same: bool = True, repair: bool = False
) -> Treebank:
    """Return the treebank with the trees of a program's output.

    Sentences and words must be those of the treebank; with ``same=False`` only their numbers must
    match. `repair` repairs output that is not trees, as reading does; otherwise it is an error.
    """
    heads, relations = _read(treebank, data, fmt=fmt, what=what, same=same)
    text = _with_fields(treebank, {_HEAD: heads, _DEPREL: relations})
    try:
        parsed = parse_conllu(
            text, name=treebank.name, file=f"output of {what}", errors="repair" if repair else "strict"
        )
    except ConlluError as error:
        shown = "\n".join(map(str, error.problems[:5]))
        raise CommandError(
            f"{what} returned output that is not trees ({len(error.problems)} problems; option "
            f"errors=repair repairs them):\n{shown}"
        ) from None
    repaired = tuple(problem for problem in parsed.problems if problem.action)
    return replace(parsed, problems=(*treebank.problems, *repaired), policy="repair" if repaired else treebank.policy)


def _read(treebank: Treebank, data: bytes, *, fmt: str, what: str, same: bool) -> tuple[list[str], list[str]]:
    """Return heads and relations unchanged, after checking that all words are present."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise CommandError(f"{what}: its output is not UTF-8: {error}") from None
    forms = treebank["form"].to_list()
    if fmt == "conllx":
        forms = [_joined(form) for form in forms]
    bounds = treebank.offsets.tolist()
    heads: list[str] = []
    relations: list[str] = []
    sentence = 0
    for number, line in enumerate([*text.replace("\r\n", "\n").split("\n"), ""], start=1):
        where = f"{what}: line {number} of its output"
        if not line.strip():
            if sentence < len(treebank) and len(heads) == bounds[sentence + 1]:
                sentence += 1
            elif sentence < len(treebank) and len(heads) > bounds[sentence]:
                found, wanted = len(heads) - bounds[sentence], treebank.lengths[sentence]
                raise CommandError(f"{where}: sentence {sentence + 1} ends after {found} words; it has {wanted}")
            continue
        fields = line.split("\t")
        if line.startswith("#") or not _WORD.fullmatch(fields[0]):
            if line.startswith("#") or re.fullmatch(r"\d+[-.]\d+", fields[0]):
                continue
            raise CommandError(f"{where}: found {line[:80]!r}, expected a word or a blank line")
        if len(fields) <= _DEPREL:
            raise CommandError(f"{where}: found {len(fields)} columns, expected at least 8")
        word = len(heads)
        if sentence == len(treebank) or word == bounds[sentence + 1]:
            place = "all sentences have ended" if sentence == len(treebank) else "no more words"
            raise CommandError(f"{where}: found {fields[1]!r}, expected {place}")
        if same and fields[1] != forms[word]:
            raise CommandError(f"{where}: found the word {fields[1]!r}, expected {forms[word]!r}")
        heads.append(fields[_HEAD] or "_")
        relations.append(fields[_DEPREL].strip() or "_")
    if sentence < len(treebank):
        raise CommandError(f"{what}: its output ends after {sentence} of {len(treebank)} sentences")
    return heads, relations
