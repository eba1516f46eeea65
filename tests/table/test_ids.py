"""Ids are new, different from each other, and look like those they stand in for."""

from __future__ import annotations

import re
import time
import uuid
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from understudy.errors import SchemaError
from understudy.table.ids import UUID, make_ids, template_of
from understudy.table.schema import Column


def made(template, rows, kind="string", seed=0):
    column = Column(name="c", kind="id", type=kind, template=template)
    return make_ids(column, rows, np.random.default_rng(seed))


def of(*cells):
    return template_of(pa.chunked_array([list(cells)]))


MANY = range(1_000, 9_000, 379)  # 22 numbers that share no digit in any place


@pytest.mark.parametrize(("ids", "template"), [
    ([f"P{n}" for n in MANY], "P9999"),
    ([f"A-{n}" for n in MANY], "\\A-9999"),
    ([f"{n}/a" for n in MANY], "9999/\\a"),
    ([f"9{n}" for n in MANY], "\\99999"),
    ([f"{n}\\x" for n in MANY], "9999\\\\x"),
    (list(MANY), "9999"),
    ([-n for n in MANY], "-9999"),
    ([f"ä{n}" for n in MANY], "ä9999"),
    ([chr(97 + i) + chr(65 + i) for i in range(22)], "aA"),
    ([Decimal(n) for n in MANY], "9999"),
    (["a", "bb"], None),
    ([f"x{n}" for n in range(5, 50)], None),
    (["x" * 65 + str(n) for n in MANY], None),
    ([""], None),
    ([None, None], None),
    ([], None),
])  # fmt: skip
def test_the_template_is_what_all_ids_share(ids, template):
    kind = pa.string() if not ids or isinstance(ids[0], str | None) else None
    assert template_of(pa.chunked_array([pa.array(ids, kind)])) == template


def test_uuids_are_recognised_and_missing_ids_are_left_out():
    ids = [str(uuid.UUID(int=n * 7919)) for n in range(5)]
    assert of(*ids, None) == UUID
    assert of(*[i.upper() for i in ids]) != UUID


def test_a_few_ids_never_put_a_piece_of_themselves_into_the_template():
    assert of("KX7-4711") == "AA9-9999"
    assert of("KX7-4711", "KX9-4711") == "AA9-9999"


@pytest.mark.parametrize(("template", "pattern"), [
    ("P9999999", r"P[0-9]{7}"), ("AA-99", r"[A-Z]{2}-[0-9]{2}"), ("\\A\\a\\999", r"Aa9[0-9]{2}"),
    ("aaa", r"[a-z]{3}"),
    ("99999", r"[0-9]{5}"), ("2024-9999", r"2024-[0-9]{4}"), ("ä99", r"ä[0-9]{2}"),
    ("a\\\\9", r"[a-z]\\[0-9]"),
    ("A" * 40, r"[A-Z]{40}"),
])  # fmt: skip
def test_ids_follow_their_template_and_are_all_different(template, pattern):
    ids = made(template, 40).to_pylist()
    assert all(re.fullmatch(pattern, text) for text in ids)
    assert len(set(ids)) == len(ids)


def test_the_characters_of_a_long_template_are_all_drawn():
    ids = made("a" * 40, 200).to_pylist()
    assert all(len({text[place] for text in ids}) > 10 for place in range(40))


@settings(max_examples=60)
@given(st.text("9Aa-x\\7", max_size=8), st.integers(0, 120))
def test_any_template_gives_the_number_of_different_ids_that_was_asked_for(template, rows):
    try:
        ids = made(template, rows).to_pylist()
    except ValueError:
        assert re.sub(r"\\.", "", template).endswith("\\")  # half a pair, which a schema refuses
        return
    assert len(set(ids)) == len(ids) == rows


@pytest.mark.parametrize("template", [None, "9", "X", ""])
def test_without_room_ids_are_numbered(template):
    assert made(template, 8).to_pylist()[:2] == ["id-000001", "id-000002"]
    assert made(template, 8, "int64").to_pylist() == list(range(1_000_000_001, 1_000_000_009))


def test_numbered_ids_do_not_meet_real_rows_that_are_numbered_from_one():
    assert min(made(None, 500, "int64").to_pylist()) > 1_000_000_000
    assert min(made(None, 500, "double").to_pylist()) > 1_000_000_000
    assert made(None, 3, "int16").to_pylist() == [1, 2, 3]  # no room for another start
    assert made(None, 3, "float").to_pylist() == [1, 2, 3]


def test_numbers_that_fill_their_template_have_none_for_most_drawn_ids_would_be_real():
    assert template_of(pa.chunked_array([list(range(1_000, 2_000))])) is None
    assert template_of(pa.chunked_array([list(range(10**8, 10**9, 999_983))])) is not None


def test_whole_floats_have_the_template_of_the_integers_they_stand_for():
    floats = pa.chunked_array([[*(float(n) for n in range(10**8, 10**9, 19 * 10**6)), None, float("nan")]])
    assert template_of(floats) == template_of(pa.chunked_array([list(range(10**8, 10**9, 19 * 10**6))]))
    ids = made("999999999", 50, "double").to_pylist()
    assert all(10**8 <= number < 10**9 and number == int(number) for number in ids)
    assert template_of(pa.chunked_array([[0.5, 1.25]])) is None


def test_text_of_digits_may_begin_with_zero_and_numbers_may_not():
    real = [f"{number:04d}" for number in range(5_000)]
    template = template_of(pa.chunked_array([real]))
    ids = made(template, 5_000).to_pylist()
    assert len(set(ids)) == 5_000
    assert {len(text) for text in ids} == {4}
    assert {text[0] for text in ids} > {"0"}
    assert min(made("9999", 500, "int64").to_pylist()) >= 1_000


@pytest.mark.parametrize(("kind", "template", "rows"), [
    ("int8", "199", 28), ("uint8", "299", 30), ("int16", "99999", 200), ("int32", "9999999999", 200),
    ("int64", "9999999999999999999", 200), ("int64", "\\9999999999999999999", 200), ("int64", "9\\9", 4),
    ("uint64", "99999999999999999999", 200), ("uint64", "1999999999999999999", 200), ("int64", "9999", 500),
    ("decimal128(38, 0)", "9999999999999999999999", 200), ("double", "9999999", 100), ("int64", "-9999", 50),
])  # fmt: skip
def test_whole_numbers_fit_their_type_and_keep_their_length(kind, template, rows):
    ids = made(template, rows, kind).to_pylist()
    assert len(set(ids)) == rows
    plain = len(template.replace("\\", ""))
    if kind not in ("int8", "uint8"):  # too narrow for two ids per row of that length: 1, 2, 3
        assert {len(f"{int(number)}") for number in ids} == {plain}
    else:
        assert ids == list(range(1, rows + 1)) or {len(str(number)) for number in ids} == {plain}


@pytest.mark.parametrize(("kind", "rows"), [("int8", 128), ("uint8", 256), ("decimal128(3, 1)", 100)])
def test_more_ids_than_the_type_has_room_for_are_refused(kind, rows):
    with pytest.raises(SchemaError, match=r"column 'c': the type .* has room for .* ids"):
        made(None, rows, kind)
    assert len(set(made(None, rows - 1, kind).to_pylist())) == rows - 1


@pytest.mark.parametrize("kind", ["date32[day]", "timestamp[s]", "bool", "duration[s]"])
def test_ids_of_times_and_truth_values_are_refused(kind):
    for template in (None, "9999-99-99", UUID):
        with pytest.raises(SchemaError, match="only text and numbers can be ids"):
            made(template, 5, kind)


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view"])
def test_uuids_are_random_ones_of_version_four(kind):
    ids = made(UUID, 500, kind)
    assert str(ids.type) == kind
    parsed = [uuid.UUID(text) for text in ids.to_pylist()]
    assert {one.version for one in parsed} == {4}
    assert {one.variant for one in parsed} == {uuid.RFC_4122}
    assert len(set(parsed)) == 500


def test_the_same_seed_gives_the_same_ids_and_another_seed_others():
    for template in ("AA9999", UUID):
        assert made(template, 20, seed=1).equals(made(template, 20, seed=1))
        assert not made(template, 20, seed=1).equals(made(template, 20, seed=2))


@pytest.mark.parametrize("template", ["9999", UUID, None])
def test_no_rows_are_no_ids(template):
    assert made(template, 0).to_pylist() == []


def test_many_ids_are_made_without_a_loop_over_rows():
    start = time.perf_counter()
    for template in ("AAA-9999999", UUID, None):
        assert len(made(template, 200_000)) == 200_000
    assert time.perf_counter() - start < 5  # a loop over rows takes longer; this takes a fraction of a second
