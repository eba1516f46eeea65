import numpy as np
import pytest

from understudy.errors import CorruptModel, InputError
from understudy.federated.answers import Answers
from understudy.federated.message import Message


def answer(number=0):
    return Message("update", {"round": number}, {"w": np.full(2, number, np.float32)})


@pytest.fixture(params=["memory", "disk"])
def folder(request, tmp_path):
    return tmp_path if request.param == "disk" else None


def test_the_same_question_gets_the_same_answer(folder):
    answers = Answers(folder)
    assert answers.found("margins", "d") is None
    answers.keep("margins", "d", answer())
    assert answers.found("margins", "d").digest() == answer().digest()


def test_another_question_of_the_same_key_is_refused(folder):
    answers = Answers(folder)
    answers.keep("margins", "d", answer())
    with pytest.raises(InputError, match="in other words"):
        answers.found("margins", "e")


def test_the_last_rounds_are_kept_and_older_ones_stay_known(folder):
    answers = Answers(folder)
    answers.keep("terms", "t", answer())
    for number in range(7):
        answers.keep(f"train/s/{number}", f"d{number}", answer(number))
    assert answers.found("train/s/6", "d6").facts["round"] == 6
    assert answers.found("terms", "t") is not None
    with pytest.raises(InputError, match="not kept"):
        answers.found("train/s/0", "d0")


def test_answers_are_there_after_a_crash(tmp_path):
    Answers(tmp_path).keep("train/s/1", "d", answer(1))
    found = Answers(tmp_path).found("train/s/1", "d")
    assert found.facts == {"round": 1} and np.array_equal(found.arrays["w"], [1, 1])


def test_an_old_round_stays_known_after_a_crash_and_is_not_asked_anew(tmp_path):
    answers = Answers(tmp_path)
    for number in range(7):
        answers.keep(f"train/s/{number}", f"d{number}", answer(number))
    again = Answers(tmp_path)
    for digest, why in (("d0", "not kept"), ("other", "in other words")):
        with pytest.raises(InputError, match=why):
            again.found("train/s/0", digest)
    assert again.found("train/s/6", "d6").facts == {"round": 6}


def test_files_are_for_their_owner_alone(tmp_path):
    Answers(tmp_path).keep("terms", "d", answer())
    assert [path.stat().st_mode & 0o777 for path in tmp_path.iterdir()] == [0o600]


def test_a_damaged_answer_is_not_sent(tmp_path):
    Answers(tmp_path).keep("terms", "d", answer())
    path = next(tmp_path.iterdir())
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(CorruptModel, match="damaged"):
        Answers(tmp_path)


def test_another_run_begins_with_none(folder):
    answers = Answers(folder)
    answers.keep("close", "d", answer())
    assert answers.holds("close") and answers.holds("close", "d") and not answers.holds("close", "e")
    answers.clear("b")
    assert not answers.holds("close") and answers.found("close", "e") is None
