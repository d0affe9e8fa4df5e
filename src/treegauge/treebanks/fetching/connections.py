"""Connections to untrusted servers: they end when no progress is made.

The time limit of a socket starts again with each byte, and servers can send headers for ever.
"""

import io
import time
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection, InvalidURL
from typing import IO, Any
from urllib.parse import SplitResult, urlsplit
from urllib.request import HTTPHandler, HTTPRedirectHandler, HTTPSHandler, Request, build_opener

from treegauge.core.errors import TreegaugeError

SILENCE = 30.0
"""Seconds without a byte after which a connection counts as broken."""
SLOWEST, PATIENCE = 1 << 16, 60.0
"""Progress is this number of bytes of the file in this number of seconds."""


def url_parts(url: str) -> SplitResult:
    """Return the parts of a URL; raise an error if it is invalid."""
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises an error if it is none
    except ValueError as error:
        raise TreegaugeError(f"{url}: not an address: {error}") from None
    return parts


def open_connection(request: Request) -> "Answer":
    """Send a request; return the answer, whose `pace` the reader moves with each progress."""
    answer: Answer = build_opener(_Plain, _Secure, Redirects).open(request, timeout=SILENCE)
    return answer


class _Pace(io.RawIOBase):
    """The bytes of a connection, until a time that :meth:`extend` moves."""

    def __init__(self, stream: io.RawIOBase) -> None:
        self.stream = stream
        self.extend()

    def extend(self) -> None:
        self.until = time.monotonic() + PATIENCE

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if time.monotonic() > self.until:
            raise TimeoutError(f"fewer than {SLOWEST:,} bytes of the file in {PATIENCE:g} s")
        return self.stream.readinto(buffer)

    def close(self) -> None:
        self.stream.close()
        super().close()


class Answer(HTTPResponse):
    """An answer of a server, with the pace at which it must come."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.pace = _Pace(self.fp.detach())
        self.fp = io.BufferedReader(self.pace)


class _PlainConnection(HTTPConnection):
    response_class = Answer


class _SecureConnection(HTTPSConnection):
    response_class = Answer


class _Plain(HTTPHandler):
    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_PlainConnection, req)


class _Secure(HTTPSHandler):
    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_SecureConnection, req)


class Redirects(HTTPRedirectHandler):
    """Follow redirections, but never from https to http."""

    def http_error_302(self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any) -> Any:
        """Follow a redirection; name an address that is invalid."""
        try:
            return super().http_error_302(req, fp, code, msg, headers)
        except (ValueError, OverflowError, InvalidURL) as error:
            fp.close()
            raise TreegaugeError(
                f"{req.full_url}: the server redirects to the invalid address "
                f"{headers.get('Location', '')[:200]!r}: {error}"
            ) from None

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        """Return the next request, or refuse an address of another kind."""
        schemes = {"http", "https"} if req.type == "http" else {"https"}
        target = urlsplit(newurl)
        _ = target.port  # raises an error if it is none
        if target.scheme not in schemes:
            raise TreegaugeError(f"{req.full_url}: refused to follow the redirection to {newurl}")
        fp.close()  # what comes with a redirection may be endless
        return super().redirect_request(req, fp, code, msg, headers, newurl)
