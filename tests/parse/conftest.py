"""Programs that tests run as external parsers are not tests themselves."""

collect_ignore = ["external_parser.py", "external_udpipe.py"]
