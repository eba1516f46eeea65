"""A toy sampler that charges: what its rows reveal is not what its files do."""

from dataclasses import dataclass

import numpy as np
import pytest

from understudy.errors import WhereError
from understudy.model.charged import FILES, ROWS, about_rows, pay, refuse_conditions
from understudy.model.sampler import Charge, Sampler
from understudy.privacy import Certificate, Entry
from understudy.privacy.events import Gaussian


@dataclass(frozen=True)
class Toy(Sampler):
    left: int | None = None
    conditional = False

    def draw(self, rows, _rng, _conditions):
        return {"x": np.zeros(rows)}

    def charge(self, rows):
        if self.left is None:
            return None
        due = max(0, rows - self.left)
        entry = Entry(f"{due} rows", "sample", Gaussian(5.0), feeds=(ROWS,)) if due else None
        return Charge(entry, Toy(max(0, self.left - rows)))

    def state(self):
        return {}, {"left": self.left}

    @classmethod
    def restore(cls, _tensors, facts):
        return cls(**facts)


WHOLE = Certificate(
    (Entry("moments", "train", feeds=(FILES,)), Entry("first rows", "sample", Gaussian(5.0), feeds=(ROWS,)))
)


def test_a_free_sampler_keeps_its_certificate_word_for_word():
    assert about_rows(WHOLE, Toy()) is WHOLE
    assert pay(WHOLE, Toy(), 10) == (WHOLE, Toy())


def test_what_stays_in_the_files_is_not_counted_for_the_rows_and_is_named():
    rows = about_rows(WHOLE, Toy(5))
    assert WHOLE.status == "partial" and rows.status == "sound"
    assert "own files" in rows.not_covered[-1]


def test_another_open_read_still_counts():
    whole = Certificate((Entry("bounds looked up in the rows", "schema"), *WHOLE.entries))
    assert about_rows(whole, Toy(5)).status == "none"


def test_rows_within_what_was_paid_add_no_entry_and_rows_beyond_do():
    whole, sampler = pay(WHOLE, Toy(5), 4)
    assert whole == WHOLE and sampler == Toy(1)
    whole, sampler = pay(whole, sampler, 4)
    assert [entry.what for entry in whole.entries[2:]] == ["3 rows"]
    assert about_rows(whole, sampler).epsilon(1e-5) > about_rows(WHOLE, Toy(5)).epsilon(1e-5)


def test_no_rows_cost_nothing():
    assert pay(WHOLE, Toy(0), 0) == (WHOLE, Toy(0))


def test_conditions_are_refused_where_draws_cost():
    refuse_conditions(Toy())
    with pytest.raises(WhereError, match="filter"):
        refuse_conditions(Toy(5))


def test_rows_that_are_paid_for_later_rest_on_what_the_first_ones_rest_on():
    paid = Entry("first rows", "sample", Gaussian(5.0), feeds=(ROWS,), condition="rows were picked")
    whole, _ = pay(Certificate((paid,)), Toy(0), 3)
    assert [entry.condition for entry in whole.entries] == ["rows were picked"] * 2
