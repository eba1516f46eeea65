"""The file says what the entries say, in words and figures, and fits its published schema."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from understudy.errors import CorruptModel
from understudy.privacy.certificate import Certificate
from understudy.privacy.certificate_json import figures, read, write
from understudy.privacy.entry import Entry
from understudy.privacy.events import Gaussian, Laplace, SampledGaussian
from understudy.privacy.seal import Seal

PAID = Entry("sums", "measure", Gaussian(4.0), ("age",), because="clipped to 1", name="sums")
TRAINED = Entry("gradients", "train", SampledGaussian(1.1, 0.01, 100), because="clipped", name="steps")
OPEN = Entry("latents", "train")
WHOLE = Certificate(
    (PAID, TRAINED, OPEN),
    seals=(Seal("weights", "ab" * 32, 2),),
    declared={"age": "bounds"},
    versions={"python": "3.11"},
)


def test_a_file_holds_status_parts_reads_seals_declarations_and_versions():
    tree = json.loads(write(WHOLE))
    assert tree["status"] == "partial"
    assert tree["parts"] == {"weights": "sound", "everything else": "none"}
    assert tree["reads"][1]["sampling"] == ("Poisson: each row is in each of 100 steps with probability 0.01")
    assert tree["reads"][2]["price"] == "infinite"
    assert tree["declared"] == {"age": "bounds"} and tree["versions"] == {"python": "3.11"}
    assert read(write(WHOLE)) == WHOLE


@pytest.mark.parametrize("change", [
    lambda tree: tree["seals"][0].update(after=3), lambda tree: tree["seals"][0].update(after=-1),
    lambda tree: tree["seals"][0].update(digest="ab"), lambda tree: tree["seals"][0].update(part="table"),
    lambda tree: tree["seals"].clear(), lambda tree: tree["seals"][0].pop("after"),
    lambda tree: tree.update(seals=5), lambda tree: tree["parts"].update({"everything else": "sound"}),
    lambda tree: tree["reads"][2].update(price="nothing"), lambda tree: tree["reads"].pop(),
    lambda tree: tree.update(declared={}), lambda tree: tree["versions"].update(python="2.7"),
    lambda tree: tree["figures"].update({"mu": 0.0}),
])  # fmt: skip
def test_no_word_of_it_can_be_altered(change):
    tree = json.loads(write(WHOLE))
    change(tree)
    with pytest.raises(CorruptModel):
        read(json.dumps(tree))


def test_a_figure_that_was_altered_with_its_seal_does_not_follow_from_the_entries():
    from understudy.privacy.certificate_json import _seal

    tree = json.loads(write(Certificate((PAID,))))
    tree["figures"]["mu"] = 0.1
    rest = {name: part for name, part in tree.items() if name != "seal"}
    tree["seal"] = _seal(rest)
    with pytest.raises(CorruptModel, match="a figure does not follow from its entries"):
        read(json.dumps(tree))


def test_figures_that_are_infinite_are_null_and_the_rest_are_those_of_the_certificate():
    assert figures(WHOLE)["mu"] is None
    paid = Certificate((PAID,))
    assert figures(paid)["epsilon at delta 1e-9"] == paid.epsilon(1e-9)
    assert figures(paid)["mu"] == pytest.approx(0.25)
    assert figures(paid)["separation"] == paid.separation()


def test_a_certificate_without_gaussians_has_all_figures_too():
    found = figures(Certificate((Entry("counts", "measure", Laplace(2.0)),)))
    assert all(value is not None and math.isfinite(value) for value in found.values())


@pytest.mark.parametrize(
    "claim", [{"unit": "person"}, {"relation": "replace_one"}, {"not_covered": ()}], ids=str
)
def test_a_certificate_that_claims_more_than_ours_cover_is_refused_even_with_a_fitting_seal(claim):
    with pytest.raises(CorruptModel, match="claims more"):
        read(write(replace(Certificate((PAID,)), **claim)))
