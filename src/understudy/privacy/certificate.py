"""The certificate: what a model can reveal about one row, derived from the ledger alone."""

from __future__ import annotations

import platform
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from numbers import Real
from typing import TYPE_CHECKING, Literal, cast, final, overload

from understudy.errors import ParameterError
from understudy.privacy.entry import Entry
from understudy.privacy.ledger import Ledger
from understudy.privacy.seal import Seal
from understudy.privacy.taint import covered, parts_of, reaching
from understudy.version import VERSION

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from understudy.privacy.accounting import Curve

__all__ = ["NOT_COVERED", "Certificate", "Status", "certify", "covering", "part_of", "statuses"]

Status = Literal["sound", "conditional", "partial", "none"]

NOT_COVERED = (
    "other releases made from the same table",
    "rows of one person that are related to each other: the unit is one row",
    "side channels such as timing and memory",
    "deltas below 1e-11, where the rounding of the noise samplers themselves would count",
)


@final
@dataclass(frozen=True)
class Certificate:
    """Entries of the ledger, and what follows from them.

    Every figure is computed from the entries; a figure that a file states is only ever compared.

    >>> Certificate((Entry("all rows", "train"),)).status
    'none'
    >>> Certificate(()).epsilon(delta=1e-9)
    0.0
    """

    entries: tuple[Entry, ...]
    assumptions: tuple[str, ...] = ()
    unit: str = "row"
    relation: str = "add_remove"
    not_covered: tuple[str, ...] = NOT_COVERED
    tool: str = ""
    artefacts: dict[str, str] = field(default_factory=dict)
    seals: tuple[Seal, ...] = ()
    declared: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def status(self) -> Status:
        """What the entries amount to.

        none         rows were read as they are on the way to everything that was made
        partial      rows were read as they are, but not on the way to all of it
        conditional  every read has a price, and some price holds under a condition on the rows
        sound        every read has a price, and it holds for every table
        """
        if any(entry.infinite for entry in self.entries):
            return "partial" if covered(self.entries, self.seals) else "none"
        return "conditional" if any(entry.condition for entry in self.entries) else "sound"

    @property
    def sound(self) -> bool:
        """Whether the stated bounds hold for every table."""
        return self.status == "sound"

    def epsilon(self, delta: float = 1e-9) -> float:
        """Return the epsilon that holds at `delta`; infinite when rows were read as they are."""
        _refuse_outside_unit("delta", delta)
        return _curve(self).epsilon(float(delta))

    def delta(self, epsilon: float = 1.0) -> float:
        """Return the delta that holds at `epsilon`; 1 when rows were read as they are."""
        if not _is_number(epsilon) or not epsilon >= 0:
            raise ParameterError(f"certificate: epsilon must be a number >= 0; got {epsilon!r}.")
        return _curve(self).delta(float(epsilon))

    def mu(self) -> float:
        """Return the smallest mu for which the guarantee is mu-GDP, for false positive rates above 1e-6."""
        return _curve(self).mu()

    def separation(self) -> float:
        """Return the separation value of paper 000: total variation over the root of two."""
        return _curve(self).separation()

    @overload
    def tradeoff(self, fpr: float) -> float: ...

    @overload
    def tradeoff(self, fpr: npt.ArrayLike) -> float | npt.NDArray[np.float64]: ...

    def tradeoff(self, fpr: npt.ArrayLike) -> float | npt.NDArray[np.float64]:
        """Return the largest true positive rate that any attacker can reach at a false positive rate.

        Of several rates, as a list or an array, it returns an array of the same shape.

        >>> Certificate(()).tradeoff([0.0, 1.0]).tolist()
        [0.0, 1.0]
        """
        import numpy as np

        rates, curve = _rates(fpr), _curve(self)
        found = [curve.tradeoff(float(rate)) for rate in rates.flat]
        return np.reshape(np.array(found, dtype=np.float64), rates.shape) if rates.ndim else found[0]

    def to_json(self) -> str:
        """Return the certificate as readable JSON; its seal covers every word and figure of it."""
        from understudy.privacy.certificate_json import write

        return write(self)

    @classmethod
    def from_json(cls, text: str | bytes) -> Certificate:
        """Read a certificate, check its seal and hash chain, and compute its figures anew."""
        from understudy.privacy.certificate_json import read

        return read(text)

    def _repr_html_(self) -> str:
        from understudy.privacy.certificate_html import html

        return html(self)


def covering(certificate: Certificate, artefacts: dict[str, str]) -> Certificate:
    """Return the certificate bound to released files, each by name and SHA-256."""
    return replace(certificate, artefacts=dict(artefacts))


def part_of(certificate: Certificate, name: str) -> Certificate:
    """Return the certificate of one part alone: the entries that can have reached it, and no others."""
    if name not in (names := parts_of(certificate.entries, certificate.seals)):
        raise ParameterError(f"certificate: there is no part {name!r}; try one of {', '.join(names)}.")
    return replace(certificate, entries=reaching(certificate.entries, certificate.seals, name), seals=())


def statuses(certificate: Certificate) -> dict[str, Status]:
    """Return the status of every part that was made; `everything else` is what has no name here."""
    names = parts_of(certificate.entries, certificate.seals)
    return {name: part_of(certificate, name).status for name in names}


def certify(
    ledger: Ledger,
    assumptions: tuple[str, ...] = (),
    tool: str = "",
    declared: dict[str, str] | None = None,
) -> Certificate:
    """Return the certificate of everything that was written into a ledger.

    `declared` says of each column what somebody vouched for: "bounds, missing rate".

    >>> certify(Ledger()).sound
    True
    """
    return Certificate(
        ledger.entries,
        assumptions,
        tool=tool,
        seals=ledger.seals,
        declared=dict(declared or {}),
        versions=dict(_versions()),
    )


@cache
def _versions() -> dict[str, str]:
    """Return what the figures were computed with; a package that is not there had no part in them."""
    found = {"python": platform.python_version(), "understudy": VERSION}
    for name in ("numpy", "scipy", "dp-accounting"):
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _curve(certificate: Certificate) -> Curve:
    from understudy.privacy.accounting import account  # scipy: slow to load, and a ledger needs none of it

    return account(tuple(entry.event for entry in certificate.entries))


def _refuse_outside_unit(name: str, value: float) -> None:
    if not _is_number(value) or not 0 <= value <= 1:
        raise ParameterError(f"certificate: {name} must be a number from 0 to 1; got {value!r}.")


def _rates(fpr: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return one or several false positive rates as an array; refuse what is no rate."""
    import numpy as np

    if _is_number(fpr):
        _refuse_outside_unit("fpr", cast("float", fpr))
        return np.asarray(float(cast("float", fpr)))
    try:
        rates = np.asarray(fpr)
    except ValueError:
        raise ParameterError("certificate: fpr must be a number from 0 to 1; got uneven lists.") from None
    if rates.ndim == 0 and rates.dtype.kind not in "fiu":
        raise ParameterError(f"certificate: fpr must be a number from 0 to 1; got {fpr!r}.")
    if rates.dtype.kind not in "fiu" or not np.all((rates >= 0) & (rates <= 1)):
        raise ParameterError(
            f"certificate: every fpr must be a number from 0 to 1; got an array of {rates.dtype} with others."
        )
    return rates.astype(np.float64)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
