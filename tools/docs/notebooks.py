"""Run the notebooks of the documentation and keep what they show: `python -m tools.docs.notebooks`."""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HOME = Path(__file__).parents[2] / "docs" / "notebooks"


def execute(path: Path, folder: Path) -> nbformat.NotebookNode:
    """Run a notebook in a folder; what would differ from run to run is left out."""
    book = nbformat.read(path, as_version=4)
    client = NotebookClient(book, timeout=300, resources={"metadata": {"path": str(folder)}})
    client.execute()
    for cell in book.cells:
        cell.metadata.pop("execution", None)
    book.metadata.pop("language_info", None)
    return book


def main() -> None:
    """Run all of them, or those that are named."""
    import tempfile

    paths = [Path(name) for name in sys.argv[1:]] or sorted(HOME.glob("*.ipynb"))
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(execute(path, Path(folder)), path)
        print(path)


if __name__ == "__main__":
    main()
