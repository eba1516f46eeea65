"""Is what a certificate bounds enough to be called a guarantee?

Any sum of mechanisms has some delta at which an epsilon holds. Where that delta is a chance of some percent
that a row is told outright, or that epsilon is in the dozens, nobody is held back, and nothing may be called
kept in its name.
"""

from __future__ import annotations

import math

from understudy.privacy.certificate import Certificate

__all__ = ["LARGEST_EPSILON", "no_epsilon"]

LARGEST_EPSILON = 10.0  # our own line: beyond it the bound on a single row is close to none
_LARGEST_DELTA = 1e-5  # at which a certificate is quoted
_ROUND = tuple(float(f"{digit}e-{power}") for power in range(5, 0, -1) for digit in range(1, 10))


def no_epsilon(certificate: Certificate) -> str:
    """Return in words that no epsilon holds at any usual delta, and where one does; empty where one holds.

    >>> no_epsilon(Certificate(()))
    ''
    """
    if math.isfinite(certificate.epsilon(_LARGEST_DELTA)):
        return ""
    none = f"no epsilon holds at delta {_LARGEST_DELTA:g}"
    pairs = ((certificate.epsilon(delta), delta) for delta in _ROUND)
    first = next((pair for pair in pairs if math.isfinite(pair[0])), None)
    if first is None:
        return f"{none}, nor at any up to {_ROUND[-1]:g}"
    epsilon, delta = first
    return f"{none}; the smallest round delta at which one does is {delta:g}, with epsilon {epsilon:.3g}"
