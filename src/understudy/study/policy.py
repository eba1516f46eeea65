"""A policy: what must hold of a stand-in before it may leave, line by line, each with its source.

A limit is held against the whole interval of a result: a line is kept if all of it keeps the limit, broken if
all of it lies beyond, and unsure if the limit lies inside. What could not be measured is not judged.

    name = "Release policy of the registry"

    [[rule]]
    what = "privacy.singling_out"     # a result; or gdpr, membership, epsilon, guarantee
    at_most = 0.09
    source = "EMA/90915/2016, section 5.4"

    [[rule]]
    what = "fidelity.wasserstein"
    of = "ratio"                      # value, excess (over the null) or ratio (to the null)
    at_most = 3
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, fields
from importlib import resources
from pathlib import Path
from typing import Any, Literal, final, get_args

from understudy.errors import ParameterError
from understudy.measuring.membership import FPRS
from understudy.privacy.enough import LARGEST_EPSILON

__all__ = ["GROUPS", "Policy", "Rule", "default_policy", "load_policy", "policy_of"]

Of = Literal["value", "excess", "ratio"]
GROUPS = ("gdpr", "membership")
_LARGEST_FILE = 2**20


@final
@dataclass(frozen=True)
class Rule:
    """One limit.

    what      the name of a result (`privacy.dpi`), or of one of its parts (`privacy.dpi.advantage`); `gdpr`
              or `membership` for every such result, `membership.PART` for a part of each; `epsilon`; or
              `guarantee`, at least 1: is there a certificate that bounds every attacker, and closely enough
    at_most, at_least   one of the two; of a part other than a true-positive rate no interval is known
    of        what is compared: the value, its excess over the null, or its ratio to the null
    delta     at which `epsilon` is read off the certificate
    epsilon_at_most   of `guarantee` alone: the largest epsilon that counts as one, 10 if nothing is said;
              it is read at the smallest of the deltas 1e-9, 1e-6 and 1e-5 that has an epsilon
    source    who asks for it
    because   what it means, in one plain sentence
    """

    what: str
    at_most: float | None = None
    at_least: float | None = None
    of: Of = "value"
    delta: float = 1e-9
    epsilon_at_most: float | None = None
    source: str = ""
    because: str = ""

    def __post_init__(self) -> None:
        if (self.at_most is None) is (self.at_least is None):
            raise ParameterError(f"policy: {self.what!r} needs at_most or at_least, and not both.")
        if self.of not in get_args(Of):
            raise ParameterError(
                f"policy: {self.what!r}: of must be one of {', '.join(get_args(Of))}; got {self.of!r}."
            )
        if self.what in ("epsilon", "guarantee") and self.of != "value":
            raise ParameterError(f"policy: {self.what!r} has no null; leave `of` out.")
        if self.what == "guarantee" and self.at_least != 1:
            raise ParameterError("policy: 'guarantee' takes at_least = 1, and epsilon_at_most if you like.")
        if self.epsilon_at_most is not None and self.what != "guarantee":
            raise ParameterError(
                f"policy: {self.what!r} takes no epsilon_at_most; it belongs to a rule of 'guarantee'."
            )
        if not self.ceiling > 0:
            raise ParameterError(f"policy: epsilon_at_most must be > 0; got {self.epsilon_at_most!r}.")
        if not 0 < self.delta < 1:
            raise ParameterError(f"policy: {self.what!r}: delta must be > 0 and < 1; got {self.delta!r}.")

    @property
    def limit(self) -> float:
        """The number that is not to be passed."""
        found = self.at_most if self.at_most is not None else self.at_least
        assert found is not None, "one of the two is there"
        return found

    @property
    def ceiling(self) -> float:
        """The largest epsilon of a certificate that counts as a guarantee."""
        return LARGEST_EPSILON if self.epsilon_at_most is None else self.epsilon_at_most

    def asks(self) -> str:
        """Return the limit in words.

        >>> Rule("fidelity.wasserstein", at_most=3, of="ratio").asks()
        'at most 3 times what real rows score'
        """
        side = "at most" if self.at_most is not None else "at least"
        if self.what == "guarantee":
            return f"a certificate that bounds every attacker, with epsilon at most {self.ceiling:g}"
        if self.what == "epsilon":
            return f"{side} {self.limit:g} at delta {self.delta:g}"
        tail = {"value": "", "excess": " above chance", "ratio": " times what real rows score"}[self.of]
        return f"{side} {self.limit:g}{tail}"


@final
@dataclass(frozen=True)
class Policy:
    """Rules under a name. In a strict one, a line that is unsure or not judged counts as broken."""

    name: str
    rules: tuple[Rule, ...]
    strict: bool = False


def policy_of(given: object) -> Policy:
    """Return a policy, that of a file, or the default if nothing is given."""
    if given is None:
        return default_policy()
    if isinstance(given, Policy):
        return given
    if isinstance(given, str | Path):
        return load_policy(Path(given))
    raise ParameterError(f"policy: expected a TOML file; got {type(given).__name__}.")


def default_policy() -> Policy:
    """Return the policy that comes with the package: privacy alone, for every kind of table.

    >>> [rule.what for rule in default_policy().rules][:1]
    ['guarantee']
    """
    text = resources.files(__package__).joinpath("default_policy.toml").read_text(encoding="utf-8")
    return _parsed(text, "default policy")


def load_policy(path: Path) -> Policy:
    """Read a policy file."""
    try:
        with path.open("rb") as file:
            raw = file.read(_LARGEST_FILE + 1)
    except OSError as error:
        raise ParameterError(f"policy: cannot read {str(path)!r} ({error.strerror}).") from None
    if len(raw) > _LARGEST_FILE:
        raise ParameterError(f"policy: {str(path)!r} is larger than 1 MiB; a policy is a page of text.")
    try:
        return _parsed(raw.decode("utf-8"), str(path))
    except UnicodeDecodeError:
        raise ParameterError(f"policy: {str(path)!r} is not UTF-8 text; write it as TOML.") from None


def _parsed(text: str, who: str) -> Policy:
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ParameterError(f"policy: {who} is not TOML: {error}.") from None
    _refuse_unknown(tree, {"name", "strict", "rule"}, who)
    rules = tree.get("rule", [])
    if not isinstance(rules, list) or not rules or not all(isinstance(each, dict) for each in rules):
        raise ParameterError(f"policy: {who} has no rules; write [[rule]] with what and at_most or at_least.")
    strict, name = tree.get("strict", False), tree.get("name", Path(who).name)
    if not isinstance(strict, bool) or not isinstance(name, str):
        raise ParameterError(f"policy: {who}: name must be text, and strict true or false.")
    return Policy(name, tuple(_rule(each, who) for each in rules), strict)


def _rule(tree: dict[str, Any], who: str) -> Rule:
    _refuse_unknown(tree, {field.name for field in fields(Rule)}, who)
    for key in ("what", "source", "because", "of"):
        if not isinstance(tree.get(key, ""), str):
            raise ParameterError(f"policy: {who}: {key} must be text.")
    if not tree.get("what"):
        raise ParameterError(f"policy: {who}: a rule lacks its `what`.")
    for key in ("at_most", "at_least", "delta", "epsilon_at_most"):
        value = tree.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
            raise ParameterError(f"policy: {who}: {key} of {tree['what']!r} must be a number.")
    rule = Rule(**tree)
    _refuse_typo(rule.what, who)
    return rule


def _refuse_typo(what: str, who: str) -> None:
    """Refuse a name that nothing has: a limit that is never held against anything would let all pass."""
    from understudy import attacks, metrics

    head, _, part = what.partition(".")
    titles = [room.get(name).title() for room in (metrics, attacks) for name in room.names()]
    known = what in ("epsilon", "guarantee") or head in GROUPS
    if not known and not any(what == title or what.startswith(f"{title}.") for title in titles):
        raise ParameterError(
            f"policy: {who} speaks of {what!r}, which nothing measures; `understudy metrics` and `understudy "
            f"attacks` list what there is, beside {', '.join((*GROUPS, 'epsilon', 'guarantee'))}."
        )
    rate = part.rpartition("tpr_at_fpr_")
    told = [f"tpr_at_fpr_{fpr}" for fpr in FPRS]
    if rate[1] and f"tpr_at_fpr_{rate[2]}" not in told:
        raise ParameterError(f"policy: {who}: {what!r} is not told; choose from {', '.join(told)}.")


def _refuse_unknown(tree: dict[str, Any], known: set[str], who: str) -> None:
    if strangers := sorted(set(tree) - known):
        raise ParameterError(
            f"policy: {who} says {strangers[0]!r}, which is unknown; known words: {', '.join(sorted(known))}."
        )
