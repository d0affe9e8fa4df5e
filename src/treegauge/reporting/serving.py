"""A local server for a page that is updated whenever its inputs change."""

import base64
import hashlib
import os
import threading
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from pathlib import Path
from typing import Any

from treegauge.core.errors import TreegaugeError
from treegauge.core.messages import note
from treegauge.reporting.page import asset
from treegauge.reporting.sections.summary import counted
from treegauge.treebanks.sources.inputs import expanded

HOST = "127.0.0.1"
#: Seconds between two checks of the inputs.
POLL = 0.5
#: The largest number of watched files that are named.
NAMED = 5
#: Seconds after which a waiting browser gets a keep-alive message.
BEAT = 5.0


def served_page(text: str) -> str:
    """Return a page that reloads itself after an update.

    The policy allows one more script, by its hash, and connections to the server itself.
    """
    code = f"\n{asset('reload.js')}"
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    mark = f'<meta name="treegauge-served" content="{_version(text)}">'
    text = text.replace("; style-src", f" 'sha256-{digest}'; connect-src 'self'; style-src", 1)
    text = text.replace("</head>", f"{mark}\n</head>", 1)
    head, _, tail = text.rpartition("</body>")
    return f"{head}<script>{code}</script>\n</body>{tail}"


def _version(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class PageServer:
    """Serves one page to this machine only, and notifies browsers of changes."""

    def __init__(self, text: str, port: int = 0) -> None:
        self._changed = threading.Condition()
        self._text = text
        self.ended = False
        try:
            self._server = ThreadingHTTPServer((HOST, port), _handler(self))
        except OSError as error:
            raise TreegaugeError(
                f"cannot serve on port {port}: {error.strerror}; choose another with --serve=PORT, or 0"
            ) from error
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True)

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{HOST}:{self._server.server_port}/"

    @property
    def hosts(self) -> set[str]:
        """Host names that a browser may use; others could be another site's page."""
        port = self._server.server_port
        return {f"{HOST}:{port}", f"localhost:{port}"}

    @property
    def content(self) -> bytes:
        """The current page."""
        return served_page(self._text).encode()

    @property
    def version(self) -> str:
        """The version of the current page."""
        return _version(self._text)

    def show(self, text: str) -> None:
        """Replace the page and notify browsers."""
        with self._changed:
            self._text = text
            self._changed.notify_all()

    def wait(self, seconds: float) -> None:
        """Wait until the page is replaced, or until a time limit."""
        with self._changed:
            self._changed.wait(seconds)

    def __enter__(self) -> "PageServer":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.ended = True
        with self._changed:
            self._changed.notify_all()
        self._server.shutdown()
        self._server.server_close()


def _handler(owner: PageServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.headers.get("Host") not in owner.hosts:
                self.send_error(403, "only this machine's browser may read this page")
            elif self.path == "/":
                self._send(owner.content)
            elif self.path == "/events":
                self._send_events()
            else:
                self.send_error(404)

        def _head(self, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Content-Type-Options", "nosniff")

        def _send(self, content: bytes) -> None:
            self._head("text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def _send_events(self) -> None:
            self._head("text/event-stream")
            self.end_headers()
            try:
                while not owner.ended:
                    self.wfile.write(f"data: {owner.version}\n\n".encode())
                    self.wfile.flush()
                    owner.wait(BEAT)
            except OSError:
                return  # the browser has disconnected

        def log_message(self, format: str, *args: Any) -> None:
            """Log nothing: every reload would print a line."""

    return Handler


def watched_files(sources: Iterable[Any]) -> dict[Path, tuple[int, int]]:
    """Return modification times and sizes of the files that the sources stand for now.

    Patterns and names of treebanks are resolved as the page resolves them, so that new files are
    found; a source that stands for nothing at present has no files.

    Examples
    --------
    >>> watched_files(["conll18", "mine=nowhere.conllu"])
    {}
    """
    states = {}
    for source in sources:
        if not isinstance(source, str | os.PathLike):
            continue
        try:
            paths = [Path(path) for path, _ in expanded(os.fspath(source))]
        except TreegaugeError:
            continue  # the page reports it
        below = (sorted(path.rglob("*")) if path.is_dir() else [path] for path in paths)
        for file in chain.from_iterable(below):
            try:
                state = file.stat()
            except OSError:
                continue  # removed in the meantime
            if file.is_file():
                states[file.resolve()] = (state.st_mtime_ns, state.st_size)
    return states


def _named(files: Iterable[Path]) -> str:
    """Return the first files by name, and the number of the others."""
    names = [str(file) for file in files]
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"


def keep_serving(
    server: PageServer,
    make: Callable[[], str],
    sources: Iterable[Any],
    *,
    pause: Callable[[float], object],
    apart: Path | None = None,
) -> None:
    """Update the page whenever a source has changed, until the user interrupts.

    A source that cannot be read is reported, and the page stays. `apart` is the page's own file,
    which is ignored if it is in a watched folder.
    """
    sources = list(sources)

    def look() -> dict[Path, tuple[int, int]]:
        own = None if apart is None else apart.resolve()
        return {path: now for path, now in watched_files(sources).items() if path.resolve() != own}

    seen = look()
    if seen:
        note(f"watching {counted(len(seen), 'file')}: {_named(seen)}")
    else:
        note("no input is a file: the page is served but will not be updated")
    try:
        while True:
            pause(POLL)
            now = look()
            if now == seen:
                continue
            pause(POLL)  # another program may still be writing
            if look() != now:
                continue
            seen = now
            note("inputs changed: updating the page")
            try:
                server.show(make())
            except TreegaugeError as error:
                note(f"page not updated: {error}")
    except KeyboardInterrupt:
        note("stopped serving")
