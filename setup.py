"""Compiles the kernels; all else that a build needs to know is in pyproject.toml."""

import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOM, WRITTEN = Path("src/treegauge/kernels"), Path("build/c")
MODULES = {f"treegauge.kernels.{source.stem}": source for source in sorted(ROOM.glob("*.pyx"))}
SHARED = "treegauge.kernels.buffers"
"""The module with what Cython would add to every module that takes arrays; Cython writes it."""
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
}
# Fused multiply-adds would change the last bits of sums from one machine to the next.
FLAGS = ["-O3", "-g0", "-ffp-contract=off"]
# What is not in the inner loops of parsers gains nothing from the slowest optimisations.
FASTER_BUILDS = ("buffers", "splits", "validation")
FLAGS_OF_VISUAL_C = ["/O2", "/fp:precise"]
ADVICE = """
The kernels of treegauge could not be compiled. A build takes a C compiler (Debian, Ubuntu: apt
install gcc libc6-dev; macOS: xcode-select --install; Windows: Visual Studio Build Tools) and the
headers of Python. A wheel needs neither: pip install --only-binary treegauge treegauge
"""


class BuildKernels(build_ext):
    """Compile on all processors what has changed, and give advice if that fails."""

    def finalize_options(self) -> None:
        """Keep what editable installs compile, for the next one."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()
        if self.editable_mode:
            name = f"{sysconfig.get_platform()}-{sys.implementation.cache_tag}"
            self.build_lib = self.build_temp = str(Path("build") / name)

    def build_extensions(self) -> None:
        """Write all modules in C, and compile them."""
        written = [WRITTEN / Path(one.sources[0]).with_suffix(".c") for one in self.extensions]
        # Cython would also look at its own files, which are new in every isolated build.
        newest = max(path.stat().st_mtime for path in (*ROOM.glob("*.p[xy][xd]"), Path(__file__)))
        if not all(path.exists() and path.stat().st_mtime > newest for path in written):
            cythonize(
                self.extensions,
                build_dir=str(WRITTEN),
                nthreads=self.parallel,
                compiler_directives=DIRECTIVES,
                shared_utility_qualified_name=SHARED,
            )
        visual = self.compiler.compiler_type == "msvc"
        for extension, path in zip(self.extensions, written, strict=True):
            extension.sources = [str(path)]
            name = extension.name.rpartition(".")[2]
            flags = ["-O2", *FLAGS[1:]] if name.startswith(FASTER_BUILDS) else FLAGS
            extension.extra_compile_args = FLAGS_OF_VISUAL_C if visual else flags
        try:
            super().build_extensions()
        except Exception as error:
            raise SystemExit(f"{error}\n{ADVICE}") from error


# The limited API of Python makes one build serve 3.11 and all later versions. Python without the
# global lock has no limited API: it gets a build of its own.
LIMITED: dict[str, Any] = {"define_macros": [("Py_LIMITED_API", "0x030b0000")], "py_limited_api": True}
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
API = {} if FREE_THREADED else LIMITED
MODULES[SHARED] = ROOM / "buffers.c"
setup(
    ext_modules=[Extension(name, [str(source)], **API) for name, source in MODULES.items()],
    cmdclass={"build_ext": BuildKernels},
    options={} if FREE_THREADED else {"bdist_wheel": {"py_limited_api": "cp311"}},
)
