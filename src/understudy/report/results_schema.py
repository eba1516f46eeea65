"""results.json, described by types: what every part is called, what it may be, and what it means.

The published JSON Schema, docs/reference/results.schema.json, is made from these classes; so is every file,
and whoever reads a file back reads it through them. Three flat lists (candidates, results, lines) are joined
by the name of the candidate, so that each loads as a table.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, Literal, final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from understudy.errors import CorruptModel, VersionError
from understudy.privacy.certificate import Status
from understudy.report.dossier import Standing, Verdict
from understudy.report.words import Against

__all__ = [
    "FORMAT",
    "Claim",
    "Contender",
    "PolicyLine",
    "Results",
    "Score",
    "json_schema",
    "json_schema_text",
]

FORMAT: Final = 1
LARGEST_FILE = 64 * 2**20  # bytes; thousands of results fit many times over

_Digest = Annotated[str, Field(pattern="^([0-9a-f]{64})?$")]
_Number = Annotated[float | None, Field(description="null: undefined or infinite")]
_By = Annotated[str, Field(description="name of the candidate that it is about")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=True)


@final
class Score(_Part):
    """What one metric or attack found: never a bare number."""

    candidate: _By
    name: str = Field(description="fidelity, utility or privacy, a dot, and the measure")
    value: _Number
    low: _Number
    high: _Number
    null: _Number = Field(description="what chance, or real rows against other real rows, would give")
    better: Literal["higher", "lower", "null"] = Field(description="the good direction")
    verdict: Against = Field(description="the whole interval against the null")
    saw_real_rows: bool = Field(description="whether real rows were compared")
    parts: dict[str, float | None] = Field(description="figures beside the value")
    n: int | None = Field(description="how many rows it rests on; null where that tells of real ones")
    seconds: float = Field(ge=0)
    notes: list[str]


@final
class PolicyLine(_Part):
    """One line of the policy: what it asks, what was found, and the verdict."""

    candidate: _By
    what: str
    asks: str
    found: str
    verdict: Verdict
    source: str = Field(description="the rule book")
    reason: str


@final
class Claim(_Part):
    """What the certificate of a candidate states."""

    status: Status
    chain: str = Field(
        pattern="^[0-9a-f]{64}$", description="end of the hash chain over its entries, as in its own file"
    )
    figures: dict[str, float | None] = Field(description="as in the certificate; null: no bound")
    stands: bool = Field(description="false: it covers another file or was refuted; no figure holds")
    why_not: str = Field(description="why it does not stand; empty if it does")


@final
class Contender(_Part):
    """One synthetic table."""

    name: str
    digest: _Digest = Field(description="SHA-256 of its file; empty if there is none")
    rows: int = Field(ge=0)
    recipe: str = Field(description="how it was made, as far as that is known")
    standing: Standing = Field(description="what its lines amount to")
    certificate: Claim | None
    findings: list[str] = Field(description="checks that failed, and other things worth a sentence")


@final
class Results(_Part):
    """An audit for machines: no row, no cell, no count and no per-record score of a real table."""

    format: Literal[1] = Field(FORMAT, description="version of this format")
    title: str
    made: str = Field(description="when")
    level: str = Field(description="how thorough: quick, standard or full")
    seed: int
    seconds: float = Field(ge=0)
    policy: str = Field(description="the name of the policy")
    standing: Standing = Field(description="the verdict: that of the best candidate")
    candidates: list[Contender]
    results: list[Score]
    lines: list[PolicyLine]
    limits: list[str] = Field(description="what none of this says")
    versions: dict[str, str]
    hardware: dict[str, str]

    @classmethod
    def from_json(cls, text: str | bytes) -> Results:
        """Read a file back; the error names the place, never a value."""
        if len(text) > LARGEST_FILE:
            raise CorruptModel(
                f"results: larger than {LARGEST_FILE // 2**20} MiB; this is not a results.json."
            )
        try:
            tree = json.loads(text)
            version = tree["format"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise CorruptModel("results: this is not a results.json, or parts of it are gone.") from None
        if isinstance(version, int) and version > FORMAT:
            raise VersionError(f"results: format {version} is newer than {FORMAT}; update understudy.")
        try:
            return cls.model_validate(tree)
        except ValidationError as error:
            found = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(part) for part in found["loc"]) or "the whole file"
            raise CorruptModel(f"results: {place}: {found['msg'].lower()}.") from None


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of results.json.

    >>> json_schema()["properties"]["format"]["const"]
    1
    """
    tree = Results.model_json_schema(mode="validation")
    tree["required"] = list(tree["properties"])  # the writer leaves nothing out, the format neither
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": dialect, **tree, "title": "understudy results"}


def json_schema_text() -> str:
    """Return the JSON Schema as the text of docs/reference/results.schema.json."""
    return json.dumps(json_schema(), indent=1) + "\n"
