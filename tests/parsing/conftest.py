"""Fixtures of the tests of parsers; programs run as external parsers are not tests."""

import pytest

collect_ignore = ["external_parser.py", "external_udpipe.py"]


@pytest.fixture(scope="session")
def beam_model():
    from treegauge.parsing.beam import BeamParser
    from treegauge.parsing.beam_model import BeamOptions

    from .beams import TRAIN

    return BeamParser(BeamOptions(epochs=4)).fit(TRAIN, seed=0)
