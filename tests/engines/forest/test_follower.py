"""A column that another decides is found, and no other."""

import numpy as np

from understudy.engines.condition import Among, Between, IsMissing
from understudy.engines.forest.follower import find_followers

RNG = np.random.default_rng(0)
CITY = RNG.integers(-1, 6, 600).astype(np.int32)
LAND = np.array([0, 0, 1, 1, 2, 2, -1], dtype=np.int32)[CITY]
CODE = np.array([7.5, 1.0, np.nan, 4.0, 5.0, 6.0, 0.0])[CITY]


def test_what_a_level_decides_follows_it():
    found = find_followers({"land": LAND, "city": CITY, "code": CODE}, {"land": 3, "city": 6})
    assert {name: each.leader for name, each in found.items()} == {"land": "city", "code": "city"}
    assert found["land"].agrees(CITY, LAND).all()
    assert found["code"].agrees(CITY, CODE).all()
    assert not found["code"].agrees(CITY, np.roll(CODE, 1)).all()


def test_of_two_that_decide_each_other_one_leads():
    twin = (5 - CITY).astype(np.int32) % 7
    found = find_followers({"city": CITY, "twin": twin}, {"city": 6, "twin": 7})
    assert {name: each.leader for name, each in found.items()} == {"twin": "city"}


def test_one_row_that_disagrees_or_few_rows_for_each_level_are_no_decision():
    land = LAND.copy()
    land[-1] = (land[-1] + 1) % 3
    assert find_followers({"city": CITY, "land": land}, {"city": 6, "land": 3}) == {}
    few = {"city": CITY[:60], "land": LAND[:60]}
    assert find_followers(few, {"city": 6, "land": 3}) == {}


def test_conditions_on_a_follower_are_put_to_its_leader():
    code = find_followers({"city": CITY, "code": CODE}, {"city": 6})["code"]
    assert code.asked(Between(4, 6)).allowed.tolist() == [False, False, False, True, True, True, False]
    assert code.asked(IsMissing()).allowed.nonzero()[0].tolist() == [2]
    land = find_followers({"city": CITY, "land": LAND}, {"city": 6})["land"]
    assert land.asked(Among(np.array([True, False, False, True]))).allowed.nonzero()[0].tolist() == [0, 1, 6]
