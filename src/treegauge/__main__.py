"""``python -m treegauge`` is the command line."""

from treegauge.cli import main

if __name__ == "__main__":
    main()
