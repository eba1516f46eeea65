"""The certificate: what a model can reveal about one row, derived from the ledger alone."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, final

from understudy.errors import CorruptModel, ParameterError, VersionError
from understudy.privacy.ledger import Entry, Ledger, digest_of, entry_from_dict

__all__ = ["Certificate", "Status"]

FORMAT = 1
Status = Literal["sound", "conditional", "partial", "none"]

_NOT_COVERED = (
    "other releases made from the same table",
    "rows of one person that are related to each other: the unit is one row",
    "side channels such as timing and memory",
)


@final
@dataclass(frozen=True)
class Certificate:
    """Entries of the ledger, and what follows from them.

    Every figure is computed from the entries; none is stored, so none can be edited in.

    >>> Certificate((Entry("all rows", "train"),)).status
    'none'
    >>> Certificate(()).epsilon(delta=1e-9)
    0.0
    """

    entries: tuple[Entry, ...]
    assumptions: tuple[str, ...] = ()
    unit: str = "row"
    relation: str = "add_remove"
    not_covered: tuple[str, ...] = _NOT_COVERED
    tool: str = ""
    artefacts: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, ledger: Ledger, assumptions: tuple[str, ...] = (), tool: str = "") -> Certificate:
        """Return the certificate of everything that was written into a ledger."""
        return cls(ledger.entries, assumptions, tool=tool)

    def covering(self, artefacts: dict[str, str]) -> Certificate:
        """Return the certificate bound to released files, each by name and SHA-256."""
        return replace(self, artefacts=dict(artefacts))

    @property
    def status(self) -> Status:
        """Sound when every entry has a finite price; none as soon as one has not."""
        return "none" if any(entry.infinite for entry in self.entries) else "sound"

    @property
    def sound(self) -> bool:
        """Whether the stated bounds hold for every table."""
        return self.status == "sound"

    def epsilon(self, delta: float = 1e-9) -> float:
        """Return the epsilon that holds at `delta`; infinite when rows were read as they are."""
        _refuse_outside_unit("delta", delta)
        return 0.0 if self.sound else math.inf

    def delta(self, epsilon: float = 1.0) -> float:
        """Return the delta that holds at `epsilon`; 1 when rows were read as they are."""
        if not _is_number(epsilon) or not epsilon >= 0:
            raise ParameterError(f"certificate: epsilon must be a number >= 0; got {epsilon!r}.")
        return 0.0 if self.sound else 1.0

    def mu(self) -> float:
        """Return the smallest mu for which the guarantee is mu-GDP."""
        return 0.0 if self.sound else math.inf

    def separation(self) -> float:
        """Return the separation value of paper 000: total variation over the root of two."""
        return self.delta(0.0) / math.sqrt(2)

    def tradeoff(self, fpr: float) -> float:
        """Return the largest true positive rate that any attacker can reach at a false positive rate."""
        _refuse_outside_unit("fpr", fpr)
        return fpr if self.sound else 1.0

    def to_json(self) -> str:
        """Return the certificate as readable JSON; its seal covers every word and figure of it.

        The seal has no key: it shows slips of the hand and of the disk, not a forger's work. What
        cannot be forged is what follows from the entries; `from_json` computes that anew.
        """
        epsilon = self.epsilon()
        tree: dict[str, Any] = {
            "format": FORMAT,
            **asdict(self),
            "status": self.status,
            "chain": digest_of(self.entries),
            "figures": {"epsilon": None if math.isinf(epsilon) else epsilon, "separation": self.separation()},
        }
        return json.dumps({**tree, "seal": _seal(tree)}, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> Certificate:
        """Read a certificate, check its seal and hash chain, and compute its figures anew."""
        try:
            tree = json.loads(text)
            if isinstance(tree["format"], int) and tree["format"] > FORMAT:
                raise VersionError(
                    f"certificate: format {tree['format']} is newer than {FORMAT}; update understudy."
                )
            entries = tuple(entry_from_dict(entry) for entry in tree["entries"])
            names = ("assumptions", "unit", "relation", "not_covered", "tool", "artefacts")
            parts = {name: _frozen(tree[name]) for name in names}
            chain = tree["chain"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise CorruptModel("certificate: this is not a certificate, or parts of it are gone.") from None
        found = cls(entries, **parts)
        if chain != digest_of(entries):
            raise CorruptModel("certificate: its entries were altered: the chain does not follow from them.")
        if tree != json.loads(found.to_json()):
            raise CorruptModel("certificate: it was altered: its words, figures and seal do not agree.")
        return found


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): str(item) for key, item in value.items()}
    return tuple(str(item) for item in value) if isinstance(value, list) else str(value)


def _refuse_outside_unit(name: str, value: float) -> None:
    if not _is_number(value) or not 0 <= value <= 1:
        raise ParameterError(f"certificate: {name} must be a number from 0 to 1; got {value!r}.")


def _is_number(value: object) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool)


def _seal(tree: dict[str, Any]) -> str:
    text = json.dumps(tree, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
