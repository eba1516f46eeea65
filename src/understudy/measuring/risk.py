"""The risk of an attack that guesses: what it gains on training rows over rows that nobody learned from.

    R = (r - r_control) / (1 - r_control)        paper 000, equation 1 (Giomi et al. 2023)

The rates are Wilson's centres of right guesses among the guesses that were really made. The interval is that
of both rates carried on to first order; value and ends are cut to 0..1 at the very last, and the uncut ones
are kept. Cut values must not be averaged: chance alone would then make a risk.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple, final

from understudy.measuring.interval import wilson

__all__ = ["Rate", "Risk", "Runs", "Tries", "control_rate", "pooled", "rate_of", "relative"]
__all__ += ["risk_of"]


_Z = 1.959963984540054  # the 97.5 % point of the normal law


@final
class Tries(NamedTuple):
    """Right guesses, and all that were made."""

    hits: int
    guesses: int


@final
class Rate(NamedTuple):
    """A share of right guesses, and how far its 95 % interval reaches to either side."""

    value: float
    reach: float


@final
class Runs(NamedTuple):
    """One attack three times: on training rows, without any knowledge, and on rows never learned from.

    `scale` turns the control's rate into that of a table as large as the training table, where the one it ran
    on was smaller and the size matters; `doubt` is the deviation of the scale.
    """

    main: Tries
    naive: Tries
    control: Tries | None = None
    scale: float = 1.0
    doubt: float = 0.0


@final
class Risk(NamedTuple):
    """A risk that is not cut to 0..1 yet, with its interval."""

    raw: float
    low: float
    high: float

    def cut(self) -> tuple[float, float, float]:
        """Return value and interval as they are reported; a value that is raised to 0 keeps its reach.

        A risk far below 0 is luck, or a control of another law. It makes nobody surer that there is none: cut
        as it is, an interval that lies below 0 would have no width.

        >>> Risk(-0.25, -0.375, -0.125).cut()
        (0.0, 0.0, 0.125)
        >>> Risk(0.25, 0.125, 0.375).cut()
        (0.25, 0.125, 0.375)
        """
        if math.isnan(self.raw):
            return self.raw, self.low, self.high
        value, raised = min(1.0, max(0.0, self.raw)), max(0.0, -self.raw)
        return value, min(1.0, max(0.0, self.low)), min(1.0, self.high + raised)


def rate_of(tries: Tries) -> Rate:
    """Return Wilson's centre and reach; no guesses have no rate.

    >>> [round(figure, 6) for figure in rate_of(Tries(0, 500))]
    [0.003812, 0.003812]
    """
    if tries.guesses == 0:
        return Rate(math.nan, math.nan)
    centre, (low, high) = wilson(*tries)
    return Rate(centre, max(high - centre, centre - low))


def relative(main: Rate, control: Rate) -> Risk:
    """Return R of two rates.

    >>> [round(figure, 3) for figure in relative(Rate(0.9, 0.02), Rate(0.85, 0.02))]
    [0.333, 0.173, 0.494]
    """
    left = 1 - control.value
    raw = (main.value - control.value) / left
    reach = math.hypot(main.reach / left, (main.value - 1) / left**2 * control.reach)
    return Risk(raw, raw - reach, raw + reach)


def risk_of(runs: Runs) -> Risk:
    """Return R of the runs; without a control it is the rate itself, which overstates the risk.

    >>> [round(figure, 6) for figure in risk_of(Runs(Tries(100, 500), Tries(9, 500), Tries(50, 500)))]
    [0.110639, 0.063665, 0.157613]
    """
    main = rate_of(runs.main)
    if (control := control_rate(runs)) is None:
        return Risk(main.value, main.value - main.reach, main.value + main.reach)
    return relative(main, control)


def control_rate(runs: Runs) -> Rate | None:
    """Return the rate of the control at the size of the training table; none is above that of hits alone.

    >>> runs = Runs(Tries(9, 10), Tries(0, 10), Tries(9, 10), scale=5.0)
    >>> control_rate(runs).value == rate_of(Tries(10, 10)).value
    True
    """
    if runs.control is None:
        return None
    rate, most = rate_of(runs.control), rate_of(Tries(runs.control.guesses, runs.control.guesses)).value
    reach = math.hypot(rate.reach * runs.scale, _Z * runs.doubt * rate.value)
    return Rate(min(rate.value * runs.scale, most), reach)


def pooled(ways: Collection[Runs]) -> Risk:
    """Return R of the mean rates of some ways: of all there was to gain beyond the control, the share gained.

    The mean of risks would be a lottery where some control is nearly always right: there is nothing to gain,
    and any luck is a large share of it. The targets of all ways are the same, so that their errors may be
    too: the reach is the mean of theirs, as wide as if they were. That is never too narrow.

    >>> one, other = (Runs(Tries(hits, 10), Tries(0, 10), Tries(0, 10)) for hits in (9, 0))
    >>> pooled([one, other]).raw == risk_of(one).raw / 2
    True
    """
    known = [runs for runs in ways if not math.isnan(risk_of(runs).raw)]
    main = _mean([rate_of(runs.main) for runs in known])
    controls = [rate for runs in known if (rate := control_rate(runs)) is not None]
    if controls:
        return relative(main, _mean(controls))
    return Risk(main.value, main.value - main.reach, main.value + main.reach)


def _mean(rates: Collection[Rate]) -> Rate:
    if not rates:
        return Rate(math.nan, math.nan)
    value, reach = (math.fsum(figures) / len(rates) for figures in zip(*rates, strict=True))
    return Rate(value, reach)
