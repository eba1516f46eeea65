import math

import pytest

from understudy.errors import ParameterError
from understudy.privacy.paper_answers import paper_000, sampling


def test_the_paper_002_answer_holds_both_columns_of_its_tables():
    found = sampling(10**7, 10**7, 6, 0.01, alpha=10, delta=1e-10)
    assert f"{found['unbounded']['epsilon']:.3f}" == "4.001"
    assert f"{found['bounded']['epsilon']:.3f}" == "8.337"
    assert found["unbounded"]["all_rows"] == 10**7 * found["unbounded"]["per_row"]


def test_the_best_order_and_the_tight_conversion_beat_what_is_printed():
    found = sampling(10**7, 10**7, 6, 0.01, alpha=10, delta=1e-10)
    assert found["unbounded"]["best_epsilon"] == pytest.approx(3.5011, abs=5e-4)
    assert found["bounded"]["best_epsilon"] < found["bounded"]["epsilon"]


def test_the_size_of_adult_is_far_too_small_for_the_route_of_the_paper():
    found = sampling(48_842, 48_842, 6, 0.01, alpha=4, delta=1e-5)
    assert found["unbounded"]["best_epsilon"] == pytest.approx(68.9, abs=0.05)


def test_fewer_rows_out_cost_less():
    few, many = (sampling(10**6, rows, 6, 0.01, alpha=4, delta=1e-5) for rows in (10**3, 10**6))
    assert few["unbounded"]["all_rows"] == pytest.approx(many["unbounded"]["all_rows"] / 1_000)


def test_an_order_that_the_theorem_does_not_reach_has_no_bound():
    found = sampling(10**4, 10**4, 6, 0.01, alpha=5, delta=1e-5)
    assert found["unbounded"]["per_row"] is None and found["bounded"]["epsilon"] is None
    assert found["unbounded"]["best_epsilon"] is not None


@pytest.mark.parametrize("bad", [{"n": 1}, {"rows": 0}, {"dimensions": 0}, {"sigma": 0.0}, {"alpha": 1.0}])
def test_impossible_questions_are_refused(bad):
    given = {"n": 1_000, "rows": 10, "dimensions": 2, "sigma": 0.1, "alpha": 2.0, "delta": 1e-5} | bad
    with pytest.raises(ParameterError):
        sampling(**given)


def test_a_noise_of_a_fifth_at_a_separation_of_a_tenth_is_not_possible():
    found = paper_000(0.2, 0.1)
    assert found["possible"] is False and found["steps_allowed"] == 0
    assert found["h"] == pytest.approx(379_486, rel=1e-5)
    assert found["allowed_batch_times_epochs_over_rows"] == pytest.approx(8.8e-13, rel=0.01)
    assert found["fewest_rows_for_one_step"] == pytest.approx(1.065e6, rel=1e-3)
    assert "not possible" in found["verdict"]


@pytest.mark.parametrize("rows", [20_640, 48_842, 70_000])
def test_no_table_of_the_paper_has_room_for_one_step_of_one_row(rows):
    assert math.floor(paper_000(0.2, 0.1)["allowed_batch_times_epochs_over_rows"] * rows**2) == 0


def test_the_loan_table_has_room_for_seven_steps_of_64_rows():
    found = paper_000(0.5, 0.1, batch=64, rows=5_000)
    assert found["steps_allowed"] == 7 and found["possible"] is True
    assert found["one_epoch_exactly"]["separation"] > 0.1
    assert paper_000(0.5, 0.1, batch=174, rows=5_000)["steps_allowed"] == 0


@pytest.mark.parametrize(
    "bad",
    [
        {"sigma": 0.01},
        {"sigma": math.nan},
        {"separation": 0.0},
        {"separation": 0.8},
        {"batch": 0},
        {"rows": 0},
    ],
)
def test_impossible_questions_about_paper_000_are_refused(bad):
    given = {"sigma": 0.5, "separation": 0.1} | bad
    with pytest.raises(ParameterError):
        paper_000(given.pop("sigma"), given.pop("separation"), **given)
