"""What rows have within each mode comes back as often as it was seen."""

import numpy as np

from understudy.model.mode_laws import ModeLaws


def some(rows=3_000):
    rng = np.random.default_rng(0)
    modes = rng.choice(3, rows, p=[0.6, 0.395, 0.005])
    tied = np.where(rng.random(rows) < 0.9, 0.25, rng.random(rows))
    return np.select([modes == 0, modes == 1], [tied, rng.normal(size=rows)], 7.0).astype(np.float32), modes


def test_a_tie_is_as_common_as_it_was_whatever_a_network_drew():
    seen, modes = some()
    rng = np.random.default_rng(1)
    drawn = rng.normal(size=len(modes)).astype(np.float32)
    found = ModeLaws.seen(seen, modes).even(drawn, modes, rng)
    own = modes == 0
    assert abs((found[own] == 0.25).mean() - (seen[own] == 0.25).mean()) < 0.003
    assert np.array_equal(np.sort(drawn[modes == 1]), drawn[modes == 1][found[modes == 1].argsort()])


def test_a_mode_with_a_few_rows_is_normal_and_repeats_none():
    seen, modes = some()
    few = modes == 2
    laws = ModeLaws.seen(seen[~few | (np.cumsum(few) < 5)], modes[~few | (np.cumsum(few) < 5)])
    found = laws.even(seen, modes, np.random.default_rng(1))
    assert 2 not in laws.ranks and not (found[few] == 7.0).any()


def test_laws_come_back_from_their_state():
    laws = ModeLaws.seen(*some())
    again = ModeLaws.restore(*laws.state())
    drawn, modes = some(500)
    assert np.array_equal(*(each.even(drawn, modes, np.random.default_rng(2)) for each in (laws, again)))
