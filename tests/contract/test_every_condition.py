"""Given a value of any column, the others keep the law that the table has: of games, a flow, a forest.

A method's own error is allowed for by `ALLOWED`, as total variation of each column's cells; what chance adds
is stated in `laws` and is exceeded once in a million times. A sampler that puts the value asked for into rows
drawn without it must be found out, by every condition that says something of other columns.

One seed trains another network on another processor, so what is allowed is more than the worst of many seeds.
"""

from functools import cache

import pyarrow as pa
import pytest

from contract.laws import DRAWN, given, strays
from contract.quick_networks import fitted, halves
from understudy.synth.arf import ARF

CONDITIONS = [
    {"word": "b"},
    {"count": 8},
    {"number": (5.0, 7.0)},
    {"spent": (100.0, 400.0)},
    {"spent": None},
    {"word": "a", "count": 0},
]
# Beside it: the worst of 16 seeds of the quick methods, of 5 or 6 of the others.
ALLOWED = {
    "arf": 0.0,
    "nflow": 0.02,  # none
    "ctgan": 0.2,  # 0.13
    "copulagan": 0.2,  # 0.08
    "adsgan": 0.2,  # 0.06
    "adsgan, the paper's": 0.2,  # 0.08
    "tvae, modes": 0.26,  # 0.19: latents of N(0, I) also fall between the halves
    "tvae": 0.3,  # 0.22
    "pategan": 0.4,  # 0.31
}
QUICK = ("arf", "nflow", "ctgan")


@cache
def model(name):
    return ARF().fit(halves(), seed=0, progress=False) if name == "arf" else fitted(name)


def refuse_other_laws(name, where):
    drawn = model(name).sample(DRAWN, seed=3, where=where)
    assert strays(halves(), drawn, where, allowed(ALLOWED[name], where)) == []


def allowed(most, where):
    """Return less where more is known: two cells leave less to be wrong about, to a wrong sampler too."""
    return most / len(where)


@pytest.mark.parametrize("where", CONDITIONS, ids=str)
@pytest.mark.parametrize("name", QUICK)
def test_the_rest_keeps_the_law_that_the_table_has(name, where):
    refuse_other_laws(name, where)


# In seconds pategan learns little of rows that are rare: these are off by 0.30 to 0.59, and by 0.16 to 0.48.
UNLEARNED = [("pategan", {"spent": None}), ("pategan", {"word": "a", "count": 0})]
SLOWER = [
    (name, where)
    for name in ALLOWED
    for where in CONDITIONS
    if name not in QUICK and (name, where) not in UNLEARNED
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "where"), SLOWER, ids=str)
def test_the_rest_keeps_the_law_that_the_table_has_in_every_method(name, where):
    refuse_other_laws(name, where)


def put(drawn, where, real):
    """Return rows with the values asked for put into them, whatever they were: a wrong sampler."""
    kept = given(real, where)
    for name in where:
        values = pa.concat_arrays([kept[name].combine_chunks()] * (1 + DRAWN // kept.num_rows))[:DRAWN]
        drawn = drawn.set_column(drawn.column_names.index(name), name, values)
    return drawn


# What is missing is missing by chance: to know it says nothing of other columns.
@pytest.mark.parametrize("where", [where for where in CONDITIONS if where != {"spent": None}], ids=str)
def test_a_value_put_into_rows_drawn_without_it_is_found_out(where):
    real = halves()
    wrong = put(model("arf").sample(DRAWN, seed=3), where, real)
    assert given(wrong, where).num_rows == DRAWN
    for most in set(ALLOWED.values()):
        assert strays(real, wrong, where, allowed(most, where)), f"{most} lets a wrong sampler pass"


def test_a_condition_that_hits_another_column_is_found_out():
    right = model("arf").sample(DRAWN, seed=3, where={"count": 8})
    assert strays(halves(), right, {"count": 9}, 0.1)[0] == "a row breaks the condition"
