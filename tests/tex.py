"""LaTeX compiled for real, where there is a TeX."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

PREAMBLE = r"""\documentclass[10pt,twocolumn]{article}
\usepackage[a4paper,textwidth=16cm,textheight=24.7cm,columnsep=0.6cm]{geometry}
"""


def compile_latex(text: str, folder: Path, *, packages: str, engine: str = "pdflatex") -> str:
    """Compile LaTeX as the body of a paper with columns of 7.7 cm; return the log."""
    program = shutil.which(engine)
    if program is None:
        pytest.skip(f"no {engine}: install TeX Live")
    for package in packages.split(","):
        found = subprocess.run(["kpsewhich", f"{package}.sty"], capture_output=True, text=True, check=False)
        if not found.stdout.strip():
            pytest.skip(f"TeX has no package {package}")
    fonts = "\\usepackage[T1]{fontenc}\n" if engine == "pdflatex" else ""
    head = f"{PREAMBLE}{fonts}\\usepackage{{{packages}}}\n"
    body = f"\\begin{{document}}\n{text}\n\\end{{document}}\n"
    (folder / "paper.tex").write_text(head + body, "utf-8")
    words = [program, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(words, cwd=folder, capture_output=True, check=False, timeout=120)
    log = (folder / "paper.log").read_text("utf-8", errors="replace")
    errors = re.findall(r"^!.*", log, re.M)
    assert done.returncode == 0, f"{errors}: {log[-1500:]}"
    assert (folder / "paper.pdf").stat().st_size > 1000
    return log
