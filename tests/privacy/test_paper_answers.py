import math
from pathlib import Path

import pytest

from understudy.errors import ParameterError
from understudy.privacy.answers import schedule, steps
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
    assert paper_000(0.5, 0.1, batch=174)["fewest_rows_for_one_step"] > 5_000


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


# The explanation's own figures


def explained():
    page = Path(__file__).parents[2] / "docs" / "explanation" / "paper-000-and-002.md"
    return " ".join(page.read_text(encoding="utf-8").split())


def test_the_page_about_the_papers_states_what_is_computed():
    text, sizes = explained(), (10**4, 10**5, 10**6, 10**7)
    found = [sampling(n, n, 6, 0.01, alpha=4, delta=1e-5) for n in sizes]
    for answer, shown in zip(found, ("3535.17", "62.5859", "5.8064", "0.5765"), strict=True):
        digits = len(shown.split(".")[1])
        assert f"{answer['unbounded']['all_rows']:.{digits}f}" == shown and shown in text
    assert found[0]["bounded"]["all_rows"] is None
    for answer, shown in zip(found[1:], ("266.7349", "23.3577", "2.3071"), strict=True):
        assert f"{answer['bounded']['all_rows']:.4f}" == shown and shown in text
    for answer, shown in zip(found, ("1047.10", "59.6155", "5.7834", "0.5767"), strict=True):
        assert f"{answer['ridge']['all_rows']:.{len(shown.split('.')[1])}f}" == shown and shown in text
    best = [f"{answer['unbounded']['best_epsilon']:.2f}" for answer in (found[3], found[2])]
    assert f"epsilon {best[0]} for ten million rows, {best[1]} for a million" in text
    adult = sampling(48_842, 48_842, 6, 0.01, alpha=4, delta=1e-5)["unbounded"]["best_epsilon"]
    assert f"**{adult:.1f} for the 48,842 rows of Adult**" in text


def test_the_page_about_the_papers_states_what_the_formula_of_paper_000_allows():
    text, found = explained(), paper_000(0.2, 0.1)
    assert f"h(0.2) = {found['h']:,.0f} allows" in text
    assert f"b E / N = {found['allowed_batch_times_epochs_over_rows']:.1e}." in text
    assert f"needs {found['fewest_rows_for_one_step']:,} rows" in text
    for separation in (0.1, 0.15, 0.2):
        assert f"{paper_000(1.0, separation)['mu']:.6f}" in text


def test_the_page_about_the_papers_states_the_open_tail_of_a_small_separation():
    exact = steps(0.2, 64 / 48_842, 128, 1e-5)["exact"]
    text = explained()
    assert f"{exact['separation']:.4f} and an epsilon of {exact['epsilon']:.1f}" in text


@pytest.mark.slow
@pytest.mark.parametrize("plan", [(0.5, 64, 1), (0.8, 512, 20), (2, 1024, 100)])
def test_the_table_about_the_central_limit_is_computed(plan):
    page = Path(__file__).parents[2] / "docs" / "explanation" / "accounting.md"
    noise, batch, epochs = plan
    found = steps(noise, *schedule(batch, 32_561, epochs), 1e-5)
    limit, exact = found["central_limit_approximation"], found["exact"]
    cells = [exact["epsilon"], found["renyi"]["epsilon"], limit["epsilon"]]
    row = [f"{noise:g}, {batch}, {epochs}", *(f"{value:.2f}" for value in cells)]
    row += [f"{exact['separation']:.3f}", f"{limit['separation']:.3f}"]
    assert "| " + " | ".join(row) + " |" in page.read_text(encoding="utf-8").replace("**", "")
