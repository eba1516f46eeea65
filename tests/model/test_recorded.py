import numpy as np
import pyarrow as pa
import pytest

import understudy as us
from understudy.errors import InputError
from understudy.model.recorded import sample_recorded
from understudy.synth.gaussian import Gaussian
from understudy.synth.histogram import Histogram
from understudy.table.schema import Bounds, Column, Missing, Schema

TABLE = pa.table({"x": np.linspace(0, 1, 5_000)})
SCHEMA = Schema(
    columns=(
        Column(
            name="x",
            kind="numerical",
            type="double",
            bounds=Bounds(low=0.0, high=1.0),
            missing=Missing(rate=0.0),
        ),
    )
)


def load(folder):
    return us.load(folder, spent=False)


def nothing(_model):
    return {}


@pytest.fixture
def charged(tmp_path):
    recipe = Gaussian(form="ridge", sigma=0.1, rows=10, at_least=5_000)
    return recipe.fit(TABLE, schema=SCHEMA, progress=False).save(tmp_path / "model")


def test_every_draw_is_in_the_folder_before_it_is_handed_out(charged):
    entries = []
    for _ in range(3):
        model, table = sample_recorded(charged, load, 10, 0, nothing)
        assert len(table) == 10
        assert us.load(charged).certificate == model.certificate
        entries.append(len(model.certificate.entries))
    assert entries == [1, 2, 3]


def test_two_processes_do_not_draw_at_once(charged):
    lock = charged.with_name(".model.lock")
    lock.mkdir()
    with pytest.raises(InputError, match="another process"):
        sample_recorded(charged, load, 1, 0, nothing)
    lock.rmdir()
    sample_recorded(charged, load, 1, 0, nothing)
    assert not lock.exists()


def test_a_model_whose_draws_are_free_is_left_as_it_was(tmp_path):
    folder = Histogram().fit(TABLE, progress=False).save(tmp_path / "model")
    before = (folder / "certificate.json").read_bytes()
    sample_recorded(folder, load, 5, 0, nothing)
    assert (folder / "certificate.json").read_bytes() == before
    assert (folder / "certificate.json").stat().st_nlink == 1
