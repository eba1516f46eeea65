"""Average ranks: the best is first, equals share, and only what all have counts."""

import math

from report import dossiers
from understudy.report.ranking import average_ranks, common, first_common
from understudy.result import Result


def made(name, **values):
    better = {"up": "higher", "down": "lower", "middle": "null"}
    return dossiers.candidate(
        name,
        results=tuple(
            Result(f"fidelity.{kind}", value, value, value, 0.5, better[kind], saw_real_rows=True)
            for kind, value in values.items()
        ),
    )


def test_each_direction_is_ranked_its_own_way():
    for kind, values in {"up": (0.9, 0.1), "down": (0.1, 0.9), "middle": (0.6, 0.1)}.items():
        first, second = (made(str(at), **{kind: value}) for at, value in enumerate(values))
        assert average_ranks((first, second)) == {"Fidelity": (1.0, 2.0)}


def test_equal_scores_share_their_places_and_ranks_are_averaged():
    some = [made("a", up=0.5, down=0.1), made("b", up=0.5, down=0.2), made("c", up=0.1, down=0.3)]
    assert average_ranks(some) == {"Fidelity": (1.25, 1.75, 3.0)}


def test_a_score_that_one_lacks_is_left_out_for_all():
    some = [made("a", up=0.5, down=0.1), made("b", up=0.6, down=math.nan), made("c", up=0.7)]
    assert list(common(some)) == ["fidelity.up"]
    assert average_ranks(some) == {"Fidelity": (3.0, 2.0, 1.0)}


def test_the_first_measure_that_all_have_is_taken():
    some = [made("a", up=0.5, down=0.1), made("b", up=0.6, middle=0.2)]
    assert [each.value for each in first_common(some, ["fidelity.down", "fidelity.up"])] == [0.5, 0.6]
    assert first_common(some, ["fidelity.none"]) == ()
    assert common([]) == {}


def test_the_questions_of_the_opinion_have_ranks_of_their_own():
    ranks = average_ranks((dossiers.candidate(), dossiers.refused()))
    assert list(ranks) == ["Fidelity", "Utility", "Membership", "Singling out", "Linkability", "Inference"]
