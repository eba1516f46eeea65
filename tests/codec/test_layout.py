import numpy as np
import pytest
from hypothesis import given, strategies as st

from understudy.codec.layout import Layout, Part, Span
from understudy.errors import ParameterError

PARTS = st.one_of(
    st.sampled_from([Part("number", 1), Part("flag", 1)]),
    st.integers(1, 50).map(lambda levels: Part("code", 1, levels)),
    st.tuples(st.sampled_from(["levels", "modes"]), st.integers(1, 9)).map(lambda p: Part(*p)),
)


@given(st.lists(PARTS, max_size=20))
def test_index_arrays_agree_with_the_spans(parts):
    layout = Layout.of((str(i), part) for i, part in enumerate(parts))
    assert layout.width == sum(part.size for part in parts)
    for role, places in (("number", layout.numbers), ("flag", layout.flags), ("code", layout.codes)):
        assert places.tolist() == [span.start for span in layout.spans if span.role == role]
    grouped = [span for span in layout.spans if span.role in {"levels", "modes"}]
    assert layout.starts.tolist() == [span.start for span in grouped]
    assert layout.sizes.tolist() == [span.size for span in grouped]
    expected = np.full(layout.width, -1)
    for number, span in enumerate(grouped):
        expected[span.start : span.stop] = number
    assert layout.segment.tolist() == expected.tolist()


@given(st.lists(PARTS, max_size=20))
def test_every_coordinate_has_exactly_one_role(parts):
    layout = Layout.of((str(i), part) for i, part in enumerate(parts))
    singles = np.concatenate([layout.numbers, layout.flags, layout.codes])
    everything = np.sort(np.concatenate([singles, np.flatnonzero(layout.segment >= 0)]))
    assert everything.tolist() == list(range(layout.width))


def test_an_empty_layout_has_no_width():
    layout = Layout(())
    assert (layout.width, layout.numbers.size, layout.segment.size) == (0, 0, 0)


def test_a_span_is_found_by_its_column_and_by_its_role():
    layout = Layout.of([("age", Part("number", 1)), ("age", Part("modes", 3)), ("age", Part("flag", 1))])
    assert layout.span_of("age") == Span("age", 0, 1, "number")
    assert layout.span_of("age", "modes") == Span("age", 1, 4, "modes")
    assert layout.span_of("age", "flag").start == 4


@pytest.mark.parametrize(("name", "role"), [("sex", None), ("age", "flag")])
def test_an_unknown_span_is_refused(name, role):
    layout = Layout.of([("age", Part("number", 1))])
    with pytest.raises(ParameterError, match="there is no span"):
        layout.span_of(name, role)


@pytest.mark.parametrize(
    ("spans", "problem"),
    [
        ([Span("a", 1, 2, "number")], "must start at 0"),
        ([Span("a", 0, 1, "number"), Span("b", 2, 3, "number")], "must start at 1"),
        ([Span("a", 0, 2, "levels"), Span("b", 1, 3, "levels")], "must start at 2"),
        ([Span("a", 0, 0, "levels")], "1 or more"),
        ([Span("a", 0, 2, "number")], "must have 1 coordinates"),
        ([Span("a", 0, 1, "code")], "how many levels"),
        ([Span("a", 0, 1, "number", 3)], "how many levels"),
        ([Span("a", 0, 1, "colour")], "no role"),
        ([Span("a", 0, 1, "number"), Span("a", 1, 2, "number")], "two spans in one role"),
    ],
)
def test_spans_that_do_not_tile_the_width_are_refused(spans, problem):
    with pytest.raises(ParameterError, match=problem):
        Layout(tuple(spans))


def test_index_arrays_cannot_be_changed():
    layout = Layout.of([("age", Part("number", 1))])
    with pytest.raises(ValueError, match="read-only"):
        layout.numbers[0] = 7
    with pytest.raises(ValueError, match="read-only"):
        layout.segment[0] = 7
