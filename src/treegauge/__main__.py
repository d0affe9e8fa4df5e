"""``python -m treegauge`` is the command line."""

from treegauge.cli.app import main

if __name__ == "__main__":
    main()
