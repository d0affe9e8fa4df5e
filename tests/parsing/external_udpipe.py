"""UDPipe in a separate process that reads and writes CoNLL-U.

python external_udpipe.py train OPTIONS TRAIN MODEL
python external_udpipe.py parse MODEL < INPUT > OUTPUT
"""

import sys
from pathlib import Path

import ufal.udpipe as udpipe


def read(text):
    reader = udpipe.InputFormat.newInputFormat("conllu")
    reader.setText(text)
    error, found = udpipe.ProcessingError(), udpipe.Sentences()
    sentence = udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        found.append(sentence)
        sentence = udpipe.Sentence()
    assert not error.occurred(), error.message
    return found


if sys.argv[1] == "train":
    _, _, options, source, target = sys.argv
    problem = udpipe.ProcessingError()
    made = udpipe.Trainer.train(
        "morphodita_parsito", read(Path(source).read_text()), udpipe.Sentences(), "none", "none", options, problem
    )
    assert not problem.occurred(), problem.message
    Path(target).write_bytes(made)
else:
    model = udpipe.Model.load(sys.argv[2])
    writer = udpipe.OutputFormat.newOutputFormat("conllu")
    problem = udpipe.ProcessingError()
    for each in read(sys.stdin.read()):
        assert model.parse(each, "beam_search=5", problem), problem.message
        sys.stdout.write(writer.writeSentence(each))
