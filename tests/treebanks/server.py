"""A web server on this machine that can be told to misbehave."""

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType


@dataclass
class Site:
    """Files by path, how they are served, and what was asked for.

    `breaks` lists after how many bytes the next answers end; `refuses` the status codes of the next
    answers.
    """

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    breaks: list[int] = field(default_factory=list)
    refuses: list[int] = field(default_factory=list)
    etag: str | None = '"one"'
    modified: str | None = None
    ranges: bool = True
    length: bool = True
    shift: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    sends_to: str | None = None
    asked: list[tuple[str, str | None]] = field(default_factory=list)


class QuietHandler(BaseHTTPRequestHandler):
    """Answers requests without a log."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def answer(self, code: int, headers: Mapping[str, str] = MappingProxyType({}), data: bytes = b"") -> None:
        self.send_response(code)
        for name, value in ({"Content-Length": str(len(data))} | dict(headers)).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


class _Handler(QuietHandler):
    site: Site

    def do_GET(self) -> None:
        site, wanted = self.site, self.headers.get("Range")
        site.asked.append((self.path, wanted))
        if site.refuses:
            self.answer(site.refuses.pop(0))
            return
        if site.sends_to and not self.path.startswith("/there"):
            self.answer(302, {"Location": site.sends_to})
            return
        data = site.files.get(self.path)
        if data is None:
            self.answer(404)
            return
        start = self._start(wanted)
        if start is not None and start >= len(data):
            self.answer(416, {"Content-Range": f"bytes */{len(data)}"})
            return
        body = data[start or 0 :]
        self.send_response(200 if start is None else 206)
        if start is not None:
            first = start + site.shift
            self.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
        if site.length:
            self.send_header("Content-Length", str(len(body)))
        for name, value in {"ETag": site.etag, "Last-Modified": site.modified}.items():
            if value:
                self.send_header(name, value)
        for name, value in site.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if site.breaks:
            body = body[: site.breaks.pop(0)]
        with suppress(ConnectionError):  # whoever asked has heard enough
            self.wfile.write(body)
        self.close_connection = True

    def _start(self, wanted: str | None) -> int | None:
        """Where to begin: None for the whole file."""
        condition = self.headers.get("If-Range")
        same = condition is None or condition in {self.site.etag, self.site.modified}
        found = re.fullmatch(r"bytes=(\d+)-", wanted or "")
        return int(found[1]) if found and self.site.ranges and same else None


@contextmanager
def answering(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Serve at 127.0.0.1 while the block runs; its value is the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def serving() -> Iterator[Site]:
    """Serve a site at 127.0.0.1 while the block runs."""
    site = Site()
    with answering(type("Handler", (_Handler,), {"site": site})) as site.url:
        yield site
