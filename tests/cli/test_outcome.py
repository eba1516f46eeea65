import pyarrow as pa
import pytest

from understudy.cli.outcome import (
    figures,
    levels_facts,
    levels_tree,
    meaning,
    privacy_facts,
    seconds_text,
    shown_source,
    size_text,
)
from understudy.privacy import Certificate, Entry
from understudy.privacy.events import Gaussian, Pure
from understudy.table.schema import Column, Levels, Missing, Schema
from understudy.table.table import Table


def test_reading_rows_as_they_are_means_no_guarantee():
    assert meaning(Certificate((Entry("all rows", "train"),))).startswith("no privacy guarantee")


def test_a_sound_certificate_states_its_bound():
    assert (
        meaning(Certificate(()))
        == "epsilon 0 at delta 1e-9, for one row, for every table with these names and types"
    )


def test_a_condition_is_never_told_as_a_full_guarantee():
    entry = Entry("rows drawn", "sample", Gaussian(5.0), condition="the rows are kind")
    assert "only under the condition" in meaning(Certificate((entry,)))


def test_a_partial_guarantee_names_what_it_is_for():
    drawn = Entry("draws", "sample", Gaussian(5.0), feeds=("rows",))
    said = meaning(Certificate((Entry("moments", "train", feeds=("files",)), drawn)))
    assert said.startswith("a guarantee for rows only")


def test_the_bound_is_told_at_the_delta_that_was_asked_for():
    certificate = Certificate((Entry("sums", "measure", Gaussian(5.0)),))
    assert f"epsilon {certificate.epsilon(1e-5):.4g} at delta 1e-5" in meaning(certificate, 1e-5)


def test_a_bound_comes_with_what_it_means_for_an_attacker():
    certificate = Certificate((Entry("sums", "measure", Gaussian(5.0)),))
    lines = [text for _, text in privacy_facts(certificate)]
    assert "1 % false positives: 1.67%" in lines[1]
    assert "advantage of a membership attacker: 7.97%" in lines[2]
    assert len(privacy_facts(Certificate((Entry("all rows", "train"),)))) == 1


def test_what_is_not_bounded_has_no_figures():
    assert figures(Certificate((Entry("all rows", "train"),)))["epsilon"] is None
    bounded = figures(Certificate((Entry("sums", "measure", Gaussian(5.0)),)))
    assert bounded["advantage"] == pytest.approx(0.0797, abs=1e-4)


def test_without_a_delta_the_smallest_usual_one_with_an_epsilon_is_named():
    aside = Entry("a level of one row is told", "schema", Pure(0.0, 5e-7))
    certificate = Certificate((Entry("sums", "measure", Gaussian(5.0)), aside))
    assert f"epsilon {certificate.epsilon(1e-6):.4g} at delta 1e-6," in meaning(certificate)
    assert (figures(certificate)["epsilon"], figures(certificate)["delta"]) == (
        certificate.epsilon(1e-6),
        1e-6,
    )


def test_no_epsilon_at_the_delta_asked_for_is_none_and_not_infinite():
    aside = Entry("a level of one row is told", "schema", Pure(0.0, 5e-7))
    certificate = Certificate((Entry("sums", "measure", Gaussian(5.0)), aside))
    found = figures(certificate, 1e-9)
    assert (found["epsilon"], found["delta"]) == (None, 1e-9)
    assert meaning(certificate, 1e-9).startswith("no epsilon holds at delta 1e-9")


def test_one_row_is_a_row():
    assert size_text(Table(pa.table({"a": [1]}))) == "1 row, 1 column"
    assert size_text(Table(pa.table({"a": range(2000), "b": range(2000)}))) == "2,000 rows, 2 columns"


def test_seconds_have_few_digits():
    assert [seconds_text(s) for s in (0.0312, 1.26, 100.0)] == ["0.03 s", "1.3 s", "100.0 s"]


def test_a_url_is_shown_without_what_may_be_secret():
    assert shown_source("people.csv") == "people.csv"
    assert shown_source("sqlite:///x.db?query=SELECT 1") == "sqlite://..."


def _bought(**levels):
    columns = (
        Column(name=name, kind="categorical", type="string", levels=Levels(values=values, source="bought"))
        for name, values in levels.items()
    )
    return Schema(columns=tuple(columns))


def test_columns_without_a_value_that_could_be_told_are_named_and_what_to_do_about_them():
    schema = _bought(id=("other",), town=("Bern",), sex=("F", "M"))
    assert levels_tree(schema) == {"no_level_told": ["id"], "one_level_told": ["town"], "nearly_empty": []}
    (_, first), (_, second), (_, advice) = levels_facts(schema)
    assert first.startswith("id: no value") and second.startswith("town: one value")
    assert "declare such a column id" in advice


def test_a_column_that_is_all_but_empty_by_what_was_bought_is_named():
    columns = [
        Column(name=name, kind="numerical", type="double", missing=Missing(rate=rate, source=source))
        for name, rate, source in (
            ("height", 0.999, "bought"),
            ("gone", 1.0, "observed"),
            ("n", 0.5, "bought"),
        )
    ]
    schema = Schema(columns=tuple(columns))
    assert levels_tree(schema)["nearly_empty"] == ["height"]
    ((_, told),) = levels_facts(schema)
    assert told.startswith("height: by the missing rate that was bought") and "27,9" in told


def test_no_value_that_was_told_is_printed():
    assert not any("Bern" in text for _, text in levels_facts(_bought(town=("Bern",))))


def test_nothing_is_said_where_every_column_has_levels():
    assert levels_facts(_bought(sex=("F", "M"))) == []
