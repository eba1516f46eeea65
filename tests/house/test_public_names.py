"""The public contract: these names are fixed, because code outside the project calls them."""

import dataclasses

import pyarrow as pa
import pytest

import understudy as us

NAMES = [
    "read",
    "load",
    "UnderstudyError",
    *(f"Table.{name}" for name in ("to_pandas", "to_arrow", "to_polars")),
    *(f"Schema.{name}" for name in ("infer", "load", "save")),
    "Evidence",
    "audit",
    *(f"{room}.{name}" for room in ("synth", "metrics", "attacks") for name in ("names", "get")),
    *(f"{room}.{name}" for room in ("metrics", "attacks") for name in ("run", "forecast")),
    *(f"Budget.{name}" for name in ("epsilon", "delta", "gdp", "separation", "zcdp", "advantage")),
    *(
        f"Certificate.{name}"
        for name in ("status", "sound", "epsilon", "delta", "mu", "separation", "tradeoff")
    ),
    *(f"Certificate.{name}" for name in ("entries", "assumptions", "to_json", "from_json")),
    *(f"Result.{name}" for name in ("name", "value", "low", "high", "null", "better", "saw_real_rows")),
    *(f"Result.{name}" for name in ("parts", "per_record", "n", "seconds", "notes")),
]


def exists(path):
    """Say whether a dotted name below `us` is there; the field of a dataclass counts."""
    owner = us
    for name in path.split("."):
        fields = {f.name for f in dataclasses.fields(owner)} if dataclasses.is_dataclass(owner) else set()
        if not hasattr(owner, name):
            return name in fields
        owner = getattr(owner, name)
    return True


@pytest.fixture
def model():
    table = pa.table({"age": [31, 42, 53, 64], "sex": ["F", "M", "F", "M"]})
    return us.synth.get("histogram")().fit(table, schema=None, budget=None, seed=0, progress=True)


@pytest.mark.parametrize("path", NAMES)
def test_every_promised_name_is_there(path):
    assert exists(path)


def test_a_recipe_is_its_class_in_the_module_of_its_name():
    recipe = us.synth.get("gaussian_copula")
    assert getattr(us.synth.gaussian_copula, recipe.__name__) is recipe


def test_the_folder_is_the_registry():
    assert {"copy", "gaussian_copula", "half", "histogram"} <= set(us.synth.names())
    assert us.synth.names() == sorted(us.synth.names())


def test_a_model_samples_certifies_and_saves_as_promised(model, tmp_path):
    model.save(tmp_path / "model")
    again = us.load(tmp_path / "model")
    first, second = (m.sample(10, seed=0, where={"sex": "F"}) for m in (model, again))
    assert first.equals(second)
    assert first.num_rows == 10
    assert isinstance(again.certificate, us.Certificate)


def test_every_error_the_house_raises_has_one_ancestor():
    with pytest.raises(us.UnderstudyError):
        us.read("no-such-file.csv")
