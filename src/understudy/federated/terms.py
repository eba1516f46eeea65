"""Terms: what a server asks of its sites for a whole run, agreed to once and known by one hash."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any, final

from understudy.check import Choice, Flag, Integer, Number
from understudy.errors import ParameterError, SchemaError
from understudy.table.columns import modelled
from understudy.table.public import as_declared
from understudy.table.schema import Schema

__all__ = ["STRATEGIES", "WEIGHTS", "Terms", "columns_of", "refuse_name"]

STRATEGIES = ("fedavg", "fedprox", "fedadam", "fedyogi")
WEIGHTS = ("equal", "declared", "noisy")

_RULES: dict[str, Integer | Number | Choice | Flag] = {
    "private": Flag(),
    "rounds": Integer(1, 1_000_000),
    "local_steps": Integer(1, 1_000_000),
    "rate": Number(1e-9, 1.0),
    "batch": Integer(0, 2**31 - 1),
    "clip": Number(1e-9, 1e9),
    "least_noise": Number(0.0, 1e6),
    "least_cohort": Integer(1, 1_000_000),
    "least_answers": Integer(1, 1_000_000),
    "tries": Integer(1, 1_000),
    "strategy": Choice(STRATEGIES),
    "server_lr": Number(0.0, 1e3),
    "beta1": Number(0.0, 0.999999),
    "beta2": Number(0.0, 0.999999),
    "tau": Number(1e-12, 1e3),
    "pull": Number(0.0, 1e3),
    "weights": Choice(WEIGHTS),
    "most_rows": Integer(1, 2**53),
    "limit": Number(0.0, 1e12),
    "seed": Integer(0, 2**63 - 1),
}
_USUAL = {"fedavg": 1.0, "fedprox": 1.0, "fedadam": 0.01, "fedyogi": 0.01}
_PLAIN = (bool, int, float, str)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


@final
@dataclass(frozen=True)
class Terms:
    """What is trained, for how long, and how much noise every site adds at the least.

    `schema` has a digest for each column of the public schema (`columns_of`). A stage of the recipe takes
    `rounds` rounds of `local_steps` steps. In each step a row is with probability `rate`; or, with a `batch`,
    batch over the number of rows that a site declares. `least_noise` is the smallest noise multiplier that a
    site may train with: one whose budget would allow less takes this. A round with fewer than `least_answers`
    answers is asked for again, `tries` times, then skipped. `server_lr`, `beta1`, `beta2` and `tau` are those
    of FedAdam and FedYogi (Reddi et al. 2021; FedAvg and FedProx take `server_lr` alone; 0 stands for the
    usual one: 1, and 0.01 where every weight moves by about the rate itself), `pull` is FedProx's mu (Li et
    al. 2020). `weights` says what a site's difference weighs: all alike, by declared rows, or by rows told
    with noise; no site counts for more than `most_rows`. A difference longer than `limit` is cut to it; 0
    stands for the way that Adam can go in a round.

    >>> Terms("findiff", {"age": "0"}, rounds=0)
    Traceback (most recent call last):
    understudy.errors.ParameterError: Terms: rounds must be a whole number from 1 to 1,000,000; got 0.
    """

    recipe: str
    schema: dict[str, str]
    settings: dict[str, Any] = field(default_factory=dict)
    run: str = "federation"
    private: bool = True
    rounds: int = 10
    local_steps: int = 50
    rate: float = 0.1
    batch: int = 0
    clip: float = 1.0
    least_noise: float = 0.0
    least_cohort: int = 2
    least_answers: int = 1
    tries: int = 3
    strategy: str = "fedavg"
    server_lr: float = 0.0
    beta1: float = 0.9
    beta2: float = 0.99
    tau: float = 1e-3
    pull: float = 0.01
    weights: str = "equal"
    most_rows: int = 100_000_000
    limit: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name, rule in _RULES.items():
            if not rule.accepts(getattr(self, name)):
                raise ParameterError(f"Terms: {name} must be {rule}; got {getattr(self, name)!r}.")
        for name in ("recipe", "run"):
            refuse_name(f"Terms: {name}", getattr(self, name))
        if not _is_plain(self.settings, _PLAIN) or not _is_plain(self.schema, (str,)):
            raise ParameterError("Terms: settings and schema must map names to plain values.")

    @cached_property
    def hash(self) -> str:
        """The SHA-256 of all of it: every later message names it."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    @property
    def pace(self) -> float:
        """The rate at which the server moves weights."""
        return self.server_lr or _USUAL[self.strategy]

    @property
    def steps(self) -> int:
        """How many steps a stage takes in all."""
        return self.rounds * self.local_steps

    def to_json(self) -> str:
        """Return the terms as JSON, the same text for the same terms."""
        return json.dumps(asdict(self), sort_keys=True, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Terms:
        """Read what `to_json` wrote; anything unknown or missing is refused, never guessed."""
        try:
            tree = json.loads(text)
        except (ValueError, TypeError, RecursionError):
            raise ParameterError("Terms: this is not JSON.") from None
        if not isinstance(tree, dict) or set(tree) != {each.name for each in fields(cls)}:
            raise ParameterError("Terms: they do not hold what they must, or more than this version knows.")
        return cls(**tree)


def refuse_name(who: str, name: object) -> None:
    """Refuse what is no name: it stands in files' names too, and sites name themselves.

    >>> refuse_name("Site", "../etc")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    understudy.errors.ParameterError: Site: a name has letters, digits, ...
    """
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        raise ParameterError(
            f"{who}: a name has letters, digits, '.', '_' and '-', and begins with one of the first two."
        )


def columns_of(schema: Schema) -> dict[str, str]:
    """Return a digest of each modelled column: name, kind, type, and what is declared of it.

    Two sites compare these: where they differ, names are told and nothing else.

    >>> text = '{"columns": [{"name": "age", "kind": "numerical", "type": "int64"}]}'
    >>> list(columns_of(Schema.from_json(text)))
    ['age']
    """
    found = {}
    for column in modelled(schema):
        if column.type is None:
            raise SchemaError(
                f"column {column.name!r}: a schema that sites agree on says the type of every column, such "
                'as "type": "int64" or "string"; `understudy schema` writes one with types.'
            )
        told = as_declared(column).model_dump(mode="json", exclude={"form", "note"}, exclude_none=True)
        text = json.dumps(told, sort_keys=True, ensure_ascii=True)
        found[column.name] = hashlib.sha256(text.encode()).hexdigest()[:32]
    if schema.rules:  # no column has an empty name
        found[""] = hashlib.sha256(repr(schema.rules).encode()).hexdigest()[:32]
    return found


def _is_plain(tree: object, kinds: tuple[type, ...]) -> bool:
    return isinstance(tree, dict) and all(
        isinstance(name, str) and isinstance(value, kinds) for name, value in tree.items()
    )
