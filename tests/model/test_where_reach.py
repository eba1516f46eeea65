"""An error of a condition that cannot be met says where the values of the column lie."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import understudy as us
from understudy.engines.condition import Between
from understudy.errors import NothingMatches
from understudy.model.where import parse_where
from understudy.model.where_reach import pointed
from understudy.table.schema import Bounds, Column, Schema


def table():
    day = pd.Timestamp("2024-01-01")
    at = np.arange(40)
    return pd.DataFrame(
        {
            "whole": at // 2 + 20,
            "x": np.linspace(-0.5, 2.25, 40),
            "price": [Decimal(int(i)).scaleb(-2) for i in at],
            "local": pd.Timestamp("2024-02-01", tz="Europe/Zurich") + pd.to_timedelta(at, unit="h"),
            "moment": day + pd.to_timedelta(at * 500, unit="ms"),
            "day": [dt.date(2020, 1, 1) + dt.timedelta(int(i)) for i in at],
            "length": pd.to_timedelta(at * 1800, unit="s"),
            "clock": [dt.time(8, int(i)) for i in at],
        }
    )


SCHEMA = us.Schema.infer(table())
ENDS = {
    "whole": ("20", "39", 1_000),
    "x": ("-0.5", "2.25", 50.0),
    "price": ("0", "0.39", 7),
    "local": ("2024-02-01 00:00:00", "2024-02-02 15:00:00 (Europe/Zurich)", "2030-01-01"),
    "moment": ("2024-01-01 00:00:00", "2024-01-01 00:00:19.5", "2030-01-01"),
    "day": ("2020-01-01", "2020-02-09", "2030-01-01"),
    "length": ("00:00:00", "19:30:00", "P10D"),
    "clock": ("08:00:00", "08:39:00", "23:00:00"),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_ends_are_told_as_they_would_be_asked_for(name):
    low, high, beyond = ENDS[name]
    told = pointed(NothingMatches("where: no."), SCHEMA, parse_where({name: (beyond, None)}, SCHEMA))
    assert str(told) == f"where: no. Values of '{name}' lie from {low} to {high}."
    end = high.split(" (")[0]
    assert parse_where({name: (low, end)}, SCHEMA) == parse_where(
        {name: (table()[name].min(), table()[name].max())}, SCHEMA
    )


def test_of_several_columns_those_that_are_asked_for_beyond_their_ends_are_told():
    refused = NothingMatches("where: no.")
    told = pointed(refused, SCHEMA, {"whole": Between(1_000, 2_000), "x": Between(0, 1)})
    assert "'whole'" in str(told) and "'x'" not in str(told)
    both = {"whole": Between(30, 40), "x": Between(0, 1)}
    assert str(pointed(refused, SCHEMA, both)) == "where: no."


def test_a_column_without_bounds_has_no_ends_to_tell():
    bare = Schema(columns=(Column(name="n", kind="numerical", type="int64", resolution=1.0),))
    assert str(pointed(NothingMatches("where: no."), bare, {"n": Between(1, 2)})) == "where: no."
    far = Column(name="t", kind="date", type="date32[day]", bounds=Bounds(low="nothing", high="of a day"))
    assert str(pointed(NothingMatches("no."), Schema(columns=(far,)), {"t": Between(1, 2)})) == "no."


@pytest.mark.parametrize("method", ["histogram", "gaussian_copula", "arf", "mst", "copy"])
def test_every_kind_of_model_says_so(method):
    model = us.synth.get(method)().fit(table()[["whole", "x"]], progress=False)
    for wanted in ((1_000, None), 1_000):
        with pytest.raises(NothingMatches, match=r"Values of 'whole' lie from 20 to 39\.$"):
            model.sample(3, where={"whole": wanted})
