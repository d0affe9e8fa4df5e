"""The machine on which the figures were measured."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = (
    "treegauge numpy polars scipy ufal.udpipe udapi udtools pyconll conllu stanza autorank "
    "scikit-posthocs rliable ranx deepsig lexicalrichness networkx scikit-learn pingouin "
    "distributed"
).split()


THREADS = "OMP_NUM_THREADS OPENBLAS_NUM_THREADS POLARS_MAX_THREADS".split()
"""Limits that change ratios: products of small matrices are faster with one thread than with two,
and packages that make none do not gain."""


def threads() -> str:
    """Return which limits on threads are set; by default Python has none."""
    limits = [f"{name}={os.environ[name]}" for name in THREADS if name in os.environ]
    return f"threads limited by {', '.join(limits)}" if limits else "threads not limited"


def machine() -> str:
    """Return a description of this machine and the installed packages."""
    found = []
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} (not installed)")
    return (
        f"Here: {platform.system()}, {os.cpu_count()} cores ({processor()}), {memory():.0f} GB, "
        f"load {os.getloadavg()[2]:.1f} (1 is the benchmarks' own), {threads()}, "
        f"Python {platform.python_version()}; {', '.join(found)}."
    )


def processor() -> str:
    """Return the name of the processor."""
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        for line in facts.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def memory() -> float:
    """Return the machine's memory in GB."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
