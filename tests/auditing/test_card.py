"""A card says in plain words what is known about a treebank, and in numbers the same."""

import json

import pytest

from tests.commands import invoke
from treegauge.auditing.audit import audit
from treegauge.auditing.profile import read_cards
from treegauge.core.errors import TreegaugeError
from treegauge.testing.grammar import Grammar
from treegauge.testing.synthetic import synthetic
from treegauge.treebanks.data.columns import concat
from treegauge.treebanks.data.conllu import write_conllu


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Two treebanks: one without leaks, and one whose test set has 10 training sentences."""
    place = tmp_path_factory.mktemp("cards")
    made = []
    for name, seed in {"UD_X-Clean": 11, "UD_X-Leaky": 12}.items():
        whole = synthetic(400, Grammar(length=12), seed=seed)
        splits = {"train": whole[:250], "dev": whole[250:300], "test": whole[300:]}
        if name.endswith("Leaky"):
            long = [n for n in range(250) if whole.lengths[n] >= 5][:10]
            splits["test"] = concat([splits["test"], whole.take(long)], name="test")
        folder = place / name
        folder.mkdir()
        for split, one in splits.items():
            write_conllu(one, folder / f"x_{name[5:].lower()}-ud-{split}.conllu")
        made.append(folder)
    return made


def test_a_card_says_it_in_words(folders):
    text = str(audit(folders[0], only="card"))
    lines = dict(line.split(maxsplit=1) for line in text.splitlines()[1:-1])
    assert list(lines) == ["size", "layers", "validity", "consistency", "leaks", "difficulty"]
    assert lines["size"].startswith("400 sentences, ")
    assert lines["validity"].startswith("level 3: ")
    assert lines["leaks"].startswith("no sentence of the dev or test set is in the training set")
    assert "% of test words new" in lines["difficulty"]


def test_json_has_words_and_numbers(folders):
    done = invoke(["audit", "--only", "card", str(folders[1]), "--format", "json"])
    (row,) = json.loads(done.stdout)["rows"]
    assert done.exit_code == 0
    assert row["treebank"] == "UD_X-Leaky"
    assert row["size"]["sentences"] == 410
    assert row["size"]["train_words"] + row["size"]["dev_words"] + row["size"]["test_words"] == (row["size"]["words"])
    assert row["leaks"]["test_in_train"] == pytest.approx(100 * 10 / 110)
    assert row["leaks"]["state"] == "poor"
    assert row["leaks"]["text"].startswith("9.1 % of test also in train (10 the same, 0 nearly)")
    assert row["layers"]["upos"] == 100
    assert row["validity"]["level"] == 3


def test_validity_is_that_of_check(folders):
    import treegauge as tg

    (one,) = audit(folders[0], only="card").card.profiles
    report = tg.check(folders[0], ud_level=3)
    found = one.aspects["validity"].values
    assert (found["errors"], found["warnings"]) == (report.errors, report.warnings)


def test_an_invalid_treebank(tmp_path):
    file = tmp_path / "x.conllu"
    file.write_text("# sent_id = a\n# text = b\n1\tb\tb\tX\t_\t_\t5\troot\t_\t_\n\n", "utf-8")
    (one,) = audit(file, only="card", errors="repair").card.profiles
    aspect = one.aspects["validity"]
    assert aspect.state == "poor"
    assert aspect.values["errors"] >= 1
    assert aspect.values["valid_sentences"] == 0


def test_several_treebanks_are_a_table(folders):
    result = audit(*folders, only="card")
    lines = str(result).splitlines()
    assert lines[0].split()[:3] == ["treebank", "sentences", "words"]
    assert [line.split()[0] for line in lines[2:4]] == ["UD_X-Clean", "UD_X-Leaky"]
    table = result.table
    assert table["leaks_test_in_train"].to_list() == pytest.approx([0, 100 * 10 / 110])
    assert result.to_csv().startswith("treebank,size_sentences,size_words,")
    assert result.to_markdown().count("UD\\_X-") == 2


def test_markdown_of_one_treebank(folders):
    text = audit(folders[0], only="card").to_markdown()
    assert text.startswith("### UD\\_X-Clean\n\n| | |\n|---|---|\n| size | 400 sentences")


def test_sets_without_a_leak_have_none_of_it_in_train(folders):
    (one,) = audit(folders[1], only="card").card.profiles
    values = one.aspects["leaks"].values
    assert values["dev_in_train"] == 0
    assert values["test_in_train"] > 0


def test_cards_need_files(folders):
    with pytest.raises(TreegaugeError, match="a card needs treebanks on disk; got splits by name"):
        audit({"train": synthetic(5, seed=1)}, only="card")
    with pytest.raises(TreegaugeError, match="choices: leaks, consistency, card"):
        audit(folders[0], only="cards")


def test_training_lists_count_as_training_data(folders, tmp_path):
    dev = next(folders[0].glob("*-dev.conllu"))
    (one,) = audit(folders[0], only="card", against=[dev]).card.profiles
    leaks = one.aspects["leaks"]
    assert leaks.state == "poor"
    assert any(name.startswith("dev_in_") for name in leaks.values)


def test_saved_cards_are_read_back(folders, tmp_path):
    result = audit(*folders, only="card")
    result.save(tmp_path / "cards.json")
    again = read_cards(tmp_path / "cards.json")
    assert [one.aspects for one in again.profiles] == [one.aspects for one in result.card.profiles]
    assert (str(again), again.to_json()) == (str(result), result.to_json())
    with pytest.raises(TreegaugeError, match="expected a file written by treegauge audit TREEBANK --only card"):
        read_cards(tmp_path / "none.json")
