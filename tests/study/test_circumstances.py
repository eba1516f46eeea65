"""Circumstances: versions and hardware, and nothing that names the machine or its user."""

import getpass
import platform
import re

from understudy.study.circumstances import LIMITS, hardware, now, versions


def test_nothing_names_the_machine_or_its_user():
    told = " ".join([*hardware().values(), *versions().values(), now()])
    assert platform.node() not in told or not platform.node()
    assert getpass.getuser() not in told.split()


def test_the_moment_is_in_utc_and_versions_are_there():
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", now())
    assert {"python", "numpy", "understudy"} <= set(versions())
    assert all(limit.endswith(".") for limit in LIMITS)
