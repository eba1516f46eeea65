"""A teacher's table is all that a network is trained on."""

import numpy as np
import pyarrow as pa

from understudy.engines.diffusion.tldm import Noise, TldmLearner
from understudy.engines.nets.vae import VaeSize
from understudy.engines.training.fit import Settings
from understudy.model.neural_fit import Method
from understudy.model.teacher import Teacher
from understudy.privacy import Ledger, Vault
from understudy.progress import Silent
from understudy.table.columns import to_columns
from understudy.table.schema import Schema
from understudy.table.table import Table


def test_a_teachers_table_is_all_that_is_trained_on():
    table = pa.table({"a": ["u", "v"] * 200, "b": ["u", "v"] * 200})
    schema = Schema.infer(Table(table))
    ledger, teacher = Ledger(), Teacher(rows=100, steps=10)
    tree = teacher.learned(Vault(to_columns(table, schema), ledger), schema, Silent())
    before = ledger.entries
    few = {name: Settings(steps=2, batch=16) for name in ("autoencoder", "diffusion")}
    method = Method(TldmLearner(VaeSize(2, 8, 1), (8, 1), Noise(steps=2)), few, "cpu")
    learned = teacher.teach(lambda: method, tree, schema, rng=np.random.default_rng(0), progress=Silent())
    assert ledger.entries == before
    assert len(learned.draw(5, np.random.default_rng(0), {})["a"]) == 5


def test_a_teacher_asks_for_tables_and_choices_alone():
    schema = Schema.infer(Table(pa.table({"a": ["u", "v"], "b": ["u", "v"]})))
    assert {ask.form for ask in Teacher(rows=100, steps=10).asks(schema)} == {"counts", "selections"}
