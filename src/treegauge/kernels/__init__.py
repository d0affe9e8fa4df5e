"""Loops over NumPy arrays in Cython, compiled with the package."""

from importlib.util import find_spec

if find_spec(f"{__name__}.scan") is None:
    raise ImportError(
        "the kernels of treegauge are not compiled yet: run `make` or `pip install -e .` in its "
        "folder, which needs a C compiler, or install a wheel"
    )
