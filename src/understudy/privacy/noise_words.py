"""What stands behind the mechanisms of a certificate, and behind the bits of what they told, in words.

Both are assumed and never met: whoever proves mechanisms formally, or has them proved, may say more. Every
report of a certificate says the same, so the words are here.
"""

from __future__ import annotations

from understudy.privacy.certificate import Certificate
from understudy.privacy.events import GaussianDP, Laplace, Renyi, Selection, unfolded

__all__ = ["TESTED", "noise_told"]

TESTED = "mechanisms are tested, not formally proved"

_STREAM = "noise is drawn from a keyed cipher stream fed by the operating system"
_ON_GRID = "counts and sums, and the noise on them, are whole numbers or whole steps of a grid"
_CHOICES = (
    "choices are made by scores and Gumbel noise that are doubles, off by less than 2^-40 in variation; "
    "only what was chosen is told"
)
_DRAWN = "rows drawn from a secret law are computed in doubles, and rounded to a grid"
_LAPLACE = "Laplace noise that is not on whole numbers has bits of its own"


def noise_told(certificate: Certificate) -> str:
    """Return where noise comes from and what of it lies on a grid: choices and drawn rows do not.

    A run that is stopped by a filter (`GaussianDP`) may choose as well as count.

    >>> noise_told(Certificate(()))
    'no noise was needed: no read of private rows is listed'
    """
    if not certificate.entries:
        return "no noise was needed: no read of private rows is listed"
    compositions = unfolded(entry.event for entry in certificate.entries)
    kinds = {type(event) for events in compositions for event in events}
    said = [_STREAM]
    if kinds - {Selection, Renyi, Laplace}:
        said.append(_ON_GRID)
    if kinds & {Selection, GaussianDP}:
        said.append(_CHOICES)
    if Renyi in kinds:
        said.append(_DRAWN)
    if Laplace in kinds:
        said.append(_LAPLACE)
    return "; ".join(said)
