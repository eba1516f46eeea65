"""Requests: candidates with their own certificates, and every wrong word refused."""

import pyarrow as pa
import pytest

from understudy.errors import InputError, ParameterError
from understudy.privacy.certificate import Certificate
from understudy.study.request import givens, level_of, name_of, recipe_of
from understudy.synth.mst import MST
from understudy.table.release import certificate_path, release
from understudy.table.table import Table

TABLE = pa.table({"x": [1.5, 2.5]})


def test_the_certificate_beside_a_file_is_found_and_held_against_it(tmp_path):
    path = tmp_path / "fake.csv"
    release(Table(TABLE), path, Certificate(()))
    (given,) = givens(path, None)
    assert given.name == "fake.csv" and given.certificate is not None and given.covered is True
    path.write_text("x\n9.5\n", encoding="utf-8")
    (given,) = givens(str(path), None)
    assert given.covered is False


def test_a_certificate_can_be_given_as_such_or_as_its_file(tmp_path):
    path = tmp_path / "fake.csv"
    release(Table(TABLE), path, Certificate(()))
    for paper in (Certificate(()), certificate_path(path), str(certificate_path(path))):
        (given,) = givens(TABLE, paper)
        assert given.certificate.sound and given.covered is None


def test_several_candidates_have_names_of_their_own():
    found = givens([TABLE, TABLE], [Certificate(()), None])
    assert [each.name for each in found] == ["synthetic", "synthetic (2)"]
    assert found[1].certificate is None and found[0].digest == found[1].digest == ""


def test_no_table_at_all_is_a_recipe():
    (given,) = givens(None, None)
    assert given.table is None and given.name == "recipe"


@pytest.mark.parametrize(
    ("synthetic", "certificate"),
    [([], None), ([TABLE, TABLE], [Certificate(())] * 3), (TABLE, 3), (TABLE, "absent.json")],
)
def test_what_does_not_fit_is_refused(synthetic, certificate):
    with pytest.raises(InputError, match="audit"):
        givens(synthetic, certificate)


def test_levels_and_recipes_are_names_that_exist():
    assert level_of("quick") == "quick"
    with pytest.raises(ParameterError, match="standard"):
        level_of("deep")
    assert recipe_of("mst") == MST() and recipe_of(None) is None and recipe_of(MST()) == MST()
    with pytest.raises(ParameterError):
        recipe_of("absent")
    with pytest.raises(ParameterError, match="recipe"):
        recipe_of(MST)


def test_a_url_has_no_name_that_could_tell_a_password():
    assert name_of("sqlite:///a.db?table=people", "train") == "train"
    assert name_of(TABLE, "holdout") == "holdout"
