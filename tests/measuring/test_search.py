import numpy as np

from understudy.measuring.search import OneOf, Span, draw, start

SPACE = {
    "C": Span(1e-5, 1e-1, start=0.1, log=True),
    "depth": Span(3, 5, start=4, whole=True),
    "share": Span(0.0, 1.0, start=0.5),
    "kernel": OneOf(("rbf", "linear")),
}


def many():
    rng = np.random.default_rng(0)
    return [draw(SPACE, rng) for _ in range(2_000)]


def test_every_draw_lies_in_its_space_and_reaches_both_ends():
    draws = many()
    assert {params["depth"] for params in draws} == {3, 4, 5}
    assert {params["kernel"] for params in draws} == {"rbf", "linear"}
    assert all(1e-5 <= params["C"] <= 1e-1 and 0 <= params["share"] <= 1 for params in draws)


def test_a_span_in_logarithms_gives_every_power_of_ten_its_share():
    below = np.mean([params["C"] < 1e-3 for params in many()])
    assert abs(below - 0.5) < 0.04


def test_the_start_of_a_space_is_a_point_of_it():
    assert start(SPACE) == {"C": 0.1, "depth": 4, "share": 0.5, "kernel": "rbf"}
