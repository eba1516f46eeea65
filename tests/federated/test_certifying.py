import pytest

from understudy.errors import ParameterError
from understudy.federated.certifying import federated_certificate
from understudy.federated.partition import PARTED
from understudy.privacy import Certificate, Entry
from understudy.privacy.events import Gaussian, Open, SampledGaussian


def certificate(*events, condition=""):
    return Certificate(tuple(Entry("r", "train", event, condition=condition) for event in events), ("a",))


def test_the_price_is_the_largest_and_not_the_sum():
    cheap, dear = certificate(Gaussian(8.0)), certificate(Gaussian(4.0), SampledGaussian(2.0, 0.1, 10))
    whole = federated_certificate({"a": cheap, "b": dear, "c": cheap})
    assert whole.sound
    for delta in (1e-3, 1e-6, 1e-9):
        assert whole.epsilon(delta) == max(cheap.epsilon(delta), dear.epsilon(delta))
    assert whole.tradeoff(0.01) == dear.tradeoff(0.01) and whole.mu() == dear.mu()


def test_where_curves_cross_each_site_decides_its_part():
    wide, steep = certificate(Gaussian(2.0)), certificate(SampledGaussian(0.7, 0.01, 20))
    whole = federated_certificate({"a": wide, "b": steep})
    assert whole.epsilon(0.05) == wide.epsilon(0.05) > steep.epsilon(0.05)
    for epsilon in (0.1, 1.0, 6.0):
        assert whole.delta(epsilon) == max(wide.delta(epsilon), steep.delta(epsilon))


def test_one_open_site_leaves_no_guarantee():
    whole = federated_certificate({"a": certificate(Gaussian(4.0)), "b": certificate(Open())})
    assert whole.status == "none" and whole.epsilon(1e-6) == float("inf")


def test_a_condition_of_a_site_is_one_of_the_federation():
    whole = federated_certificate({"a": certificate(Gaussian(4.0), condition="rows are short")})
    assert whole.status == "conditional" and whole.entries[0].condition == "rows are short"


def test_it_names_its_sites_and_what_it_assumes():
    whole = federated_certificate({"b": certificate(Gaussian(4.0)), "a": certificate(Gaussian(5.0))})
    told = " ".join(whole.assumptions)
    assert "each row lies at one site" in told and "server sees every site's updates" in told
    assert told.index("site a: ") < told.index("site b: ")


@pytest.mark.parametrize(("event", "private"), [(Gaussian(4.0), True), (Open(), False)])
def test_updates_are_called_private_only_where_they_are(event, private):
    whole = federated_certificate({"a": certificate(event), "b": certificate(event)})
    told = " ".join(whole.assumptions)
    assert ("private by their own noise" in told) is private
    assert ("by what its ledger says" in whole.entries[0].because) is private


def test_a_condition_is_not_called_a_lack_of_noise():
    whole = federated_certificate({"a": certificate(Gaussian(4.0), condition="rows are short")})
    assert "without noise" not in whole.entries[0].what


def test_of_a_table_that_was_split_the_price_holds_under_a_condition():
    part = certificate(Gaussian(4.0), condition=PARTED)
    whole = federated_certificate({"a": part, "b": part})
    assert PARTED in whole.assumptions and whole.entries[0].condition == PARTED
    assert whole.status == "conditional" and not whole.sound
    assert "under a condition" in whole.entries[0].what
    assert Certificate.from_json(whole.to_json()) == whole


def test_the_condition_of_a_split_stands_beside_those_of_sites():
    both, split = f"{PARTED}; rows are short", certificate(Gaussian(4.0), condition=PARTED)
    whole = federated_certificate({"a": certificate(Gaussian(4.0), condition=both), "b": split})
    assert whole.entries[0].condition == both and {PARTED, "rows are short"} <= set(whole.assumptions)


def test_a_split_makes_nothing_better_of_open_sites():
    part = certificate(Gaussian(4.0), condition=PARTED)
    assert federated_certificate({"a": certificate(Open()), "b": part}).status == "none"


def test_it_comes_back_from_its_file():
    whole = federated_certificate({"a": certificate(Gaussian(4.0)), "b": certificate(Gaussian(3.0))})
    assert Certificate.from_json(whole.to_json()) == whole


def test_there_is_none_without_a_site():
    with pytest.raises(ParameterError, match="without a site"):
        federated_certificate({})
