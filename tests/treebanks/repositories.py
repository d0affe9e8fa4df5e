"""A server on this machine that is laid out, redirects and refuses as the real hosts of UD's repositories do."""

import io
import json
import re
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from tests.treebanks.server import QuietHandler, answering
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.archives import OFFICIAL
from treegauge.treebanks.sources.languages import code_of

NAMES = ("UD_Greek-GDT", "UD_Welsh-CCG", "UD_Tamil-TTB")
RAW = "/raw/UniversalDependencies/docs-automation/master/valrules/"
RENAMED = {"UD_French-Spoken": "UD_French-Rhapsodie"}


@dataclass
class Hosts:
    """What is served: repositories with tags, official files; and how the next requests are refused."""

    url: str = ""
    tags: tuple[str, ...] = ("r2.8", "r2.9")
    limits: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    stalls: bool = False
    date: str = "2026-10-22-10-00-00"
    asked: list[str] = field(default_factory=list)

    @property
    def repositories(self) -> str:
        return f"{self.url}/UniversalDependencies/{{name}}/archive/refs/tags/r{{release}}.tar.gz"

    @property
    def valrules(self) -> str:
        return f"{self.url}{RAW}{{file}}"


def archive(name: str, tag: str) -> bytes:
    """The archive of a tag: one folder that is named by repository and tag, with a folder that is not released."""
    code, old = code_of(name), "fr_spoken" if tag == "r2.8" else None
    code = old if name == "UD_French-Rhapsodie" and old else code
    files = {f"{code}-ud-{split}.conllu": synthetic(20, seed=n).to_bytes() for n, split in enumerate(("dev", "test"))}
    files |= {"README.md": b"# Summary\n", "LICENSE.txt": b"CC BY-SA 4.0\n", "CONTRIBUTING.md": b"dev\n"}
    files |= {"not-to-release/source.txt": b"x\n", ".gitignore": b"*~\n"}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for path, data in files.items():
            info = tarfile.TarInfo(f"{name}-{tag}/{path}")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return packed.getvalue()


class _Handler(QuietHandler):
    hosts: Hosts
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        hosts = self.hosts
        hosts.asked.append(self.path)
        if hosts.limits:
            self.answer(*hosts.limits.pop(0), b"API rate limit exceeded")
            return
        if match := re.fullmatch(r"/UniversalDependencies/([\w-]+)/archive/refs/tags/(r[\d.]+)\.tar\.gz", self.path):
            name, tag = match.groups()
            if new := RENAMED.get(name):
                self.answer(301, {"Location": self.path.replace(name, new)})
            elif name in (*NAMES, *RENAMED.values()) and tag in hosts.tags:
                self.answer(302, {"Location": f"{hosts.url}/codeload/{name}/tar.gz/refs/tags/{tag}"})
            else:
                self.answer(404, {}, b"Not Found")
        elif match := re.fullmatch(r"/codeload/([\w-]+)/tar\.gz/refs/tags/(r[\d.]+)", self.path):
            self._chunked(archive(*match.groups()))
        elif match := re.fullmatch(
            r"/raw/UniversalDependencies/docs-automation/master/valrules/(\w+\.json)", self.path
        ):
            self._raw(match[1])
        else:
            self.answer(404, {}, b"404: Not Found")

    def _raw(self, name: str) -> None:
        if name not in OFFICIAL:
            self.answer(404, {}, b"404: Not Found")
            return
        entry = {"lastchanged": self.hosts.date, "permitted": 1}
        data = json.dumps({OFFICIAL[name]: {"el": {"nsubj": entry}} if name == "deprels.json" else {}}).encode()
        self.answer(200, {"ETag": '"abc"', "Content-Type": "text/plain; charset=utf-8"}, data)

    def _chunked(self, data: bytes) -> None:
        """Archives are made on demand: no length, no ranges, a weak tag."""
        self.send_response(200)
        for name, value in {
            "Transfer-Encoding": "chunked",
            "ETag": 'W/"9"',
            "Content-Type": "application/x-gzip",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(ConnectionError):
            for start in range(0, len(data), 1000):
                piece = data[start : start + 1000]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                if self.hosts.stalls and start:
                    self.wfile.flush()
                    time.sleep(30)
            self.wfile.write(b"0\r\n\r\n")


@contextmanager
def serving_hosts() -> Iterator[Hosts]:
    """Serve the hosts at 127.0.0.1 while the block runs."""
    hosts = Hosts()
    with answering(type("Handler", (_Handler,), {"hosts": hosts})) as hosts.url:
        yield hosts
