import numpy as np
import pytest

from understudy.codec import Codec, Style, plan
from understudy.errors import InputError, SchemaError, TooLarge
from understudy.missing import MISSING_STEP
from understudy.privacy import Ledger, Vault
from understudy.table.schema import Column, Schema

SCHEMA = Schema(
    columns=(
        Column(
            name="age", kind="numerical", type="int64", bounds={"low": 0, "high": 99}, missing={"rate": 0}
        ),
        Column(name="sex", kind="categorical", levels={"values": ("F", "M")}),
        Column(name="pay", kind="numerical", type="double", bounds={"low": 0, "high": 1}),
    )
)
COLUMNS = {
    "age": np.array([30, 40, 50, 50]),
    "sex": np.array([0, 1, -1, 1], dtype=np.int32),
    "pay": np.array([0.5, np.nan, 0.25, 1.0]),
}


def fitted(**settings):
    return plan(SCHEMA, Style(**settings)).fit(Vault(COLUMNS, Ledger()), np.random.default_rng(0))


def test_columns_become_a_float32_matrix_of_the_layouts_width_and_come_back():
    codec = fitted(numbers="minmax")
    matrix = codec.encode(COLUMNS)
    assert matrix.dtype == np.float32
    assert matrix.shape == (4, codec.layout.width) == (4, 1 + 3 + 2)
    back = codec.decode(matrix, np.random.default_rng(0))
    assert list(back) == ["age", "sex", "pay"]
    for name, values in COLUMNS.items():
        assert np.allclose(back[name], values, equal_nan=True)
        assert back[name].dtype == values.dtype


def test_coordinates_stand_where_the_layout_says():
    codec = fitted(numbers="minmax")
    matrix = codec.encode(COLUMNS)
    assert matrix[:, codec.layout.flags].ravel().tolist() == [0, 1, 0, 0]
    span = codec.layout.span_of("sex")
    assert matrix[:, span.start : span.stop].argmax(axis=1).tolist() == [0, 1, 2, 1]


def test_a_row_is_encoded_by_itself():
    codec = fitted()
    matrix = codec.encode(COLUMNS)
    alone = [codec.encode({name: values[i : i + 1] for name, values in COLUMNS.items()}) for i in range(4)]
    assert np.array_equal(np.concatenate(alone), matrix)


def test_the_same_rng_gives_the_same_matrix():
    codec = fitted(numbers="modes")
    one, other = (codec.encode(COLUMNS, np.random.default_rng(5)) for _ in range(2))
    assert np.array_equal(one, other)


def test_no_rows_give_no_rows():
    codec = fitted()
    matrix = codec.encode({name: values[:0] for name, values in COLUMNS.items()})
    assert matrix.shape == (0, codec.layout.width)
    assert all(len(values) == 0 for values in codec.decode(matrix, np.random.default_rng(0)).values())


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"age": None}, InputError, "exactly those"),
        ({"more": np.zeros(4)}, InputError, "exactly those"),
        ({"age": np.array([1, 2])}, InputError, "same number of rows"),
        ({"age": COLUMNS["pay"]}, InputError, "column 'age' must be an array of int64; got float64"),
        ({"sex": COLUMNS["age"]}, InputError, "column 'sex' must be an array of int32; got int64"),
        ({"sex": np.full(4, 2, dtype=np.int32)}, InputError, "codes below 2"),
        ({"age": np.array([1, MISSING_STEP, 3, 4])}, SchemaError, "1 rows are missing"),
    ],
)
def test_columns_that_do_not_fit_are_refused(change, error, message):
    columns = {name: values for name, values in {**COLUMNS, **change}.items() if values is not None}
    with pytest.raises(error, match=message):
        fitted().encode(columns)


@pytest.mark.parametrize("shape", [(4,), (4, 5), (4, 6, 1)])
def test_a_matrix_of_another_width_is_refused(shape):
    with pytest.raises(InputError, match="width 6"):
        fitted().decode(np.zeros(shape), np.random.default_rng(0))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_matrix_from_a_method_that_diverged_is_refused(value):
    matrix = np.zeros((4, 6))
    matrix[1:3, 2] = value
    with pytest.raises(InputError, match="2 coordinates are not finite"):
        fitted().decode(matrix, np.random.default_rng(0))


def test_a_matrix_beyond_the_cap_is_refused_before_it_is_made(monkeypatch):
    codec = fitted()
    monkeypatch.setattr("understudy.codec.codec.LARGEST", 4 * 6 * 4 - 1)
    with pytest.raises(TooLarge, match="blocks of rows"):
        codec.encode(COLUMNS)


def test_a_restored_codec_does_the_same():
    codec = fitted(numbers="modes", rare=2)
    tensors, facts = codec.state()
    again = Codec.restore({**tensors, "network.0.weight": np.zeros(3)}, facts)
    assert again.layout == codec.layout
    assert np.array_equal(again.encode(COLUMNS), codec.encode(COLUMNS))


def test_the_vault_maps_through_a_codec():
    codec = fitted(numbers="minmax")
    ledger = Ledger()
    mapped = Vault(COLUMNS, ledger).map(lambda columns: {"matrix": codec.encode(columns)})
    assert ledger.entries == ()
    assert np.array_equal(mapped.open("a test")["matrix"], codec.encode(COLUMNS))
