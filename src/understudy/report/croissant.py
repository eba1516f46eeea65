"""croissant.json: the stand-in as a Croissant 1.1 dataset, for catalogues and loaders (MLCommons).

It is written from what the audit knows, and nothing of real rows is in it. What only a publisher can know is
not invented: `license`, `creator` and `url` are to be added before it goes into a catalogue. The vocabulary
for responsible use is RAI 1.0.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from understudy.report.dossier import Candidate, Column, Dossier
from understudy.report.guarantee import guaranteed
from understudy.report.plain_json import pasteable

__all__ = ["croissant"]

_CROISSANT = "http://mlcommons.org/croissant/"
_OF_CROISSANT = ("column", "extract", "field", "fileObject", "isLiveDataset", "recordSet", "source")
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": _CROISSANT,
    "rai": f"{_CROISSANT}RAI/",
    "dct": "http://purl.org/dc/terms/",
    "prov": "http://www.w3.org/ns/prov#",
    "conformsTo": "dct:conformsTo",
    **{name: f"cr:{name}" for name in _OF_CROISSANT},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
}
_TYPES = {
    "numerical": "sc:Float",
    "boolean": "sc:Boolean",
    "datetime": "sc:DateTime",
    "date": "sc:Date",
    "time": "sc:Time",
}
_FORMATS = {
    ".csv": "text/csv",
    ".csv.gz": "application/gzip",
    ".tsv": "text/tab-separated-values",
    ".tsv.gz": "application/gzip",
    ".parquet": "application/x-parquet",
    ".arrow": "application/vnd.apache.arrow.file",
    ".feather": "application/vnd.apache.arrow.file",
    ".ipc": "application/vnd.apache.arrow.file",
}
_PERSONS = (
    "The rows are offered as synthetic, nobody's record. They were made from a real table, which may tell of "
    "persons; what they may reveal of it is in the certificate and in the risks of the audit."
)


def croissant(dossier: Dossier) -> str:
    """Return the description of every candidate as JSON-LD; of a confidential dossier, the shared part.

    >>> import json
    >>> empty = Dossier("t", "2026-01-01", "quick", 0, "none", (), (), ())
    >>> json.loads(croissant(empty))["isLiveDataset"]
    False
    """
    shared = dossier.shared()
    places = list(enumerate(shared.candidates))
    tree = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [f"{_CROISSANT}1.1", f"{_CROISSANT}RAI/1.0"],
        "name": shared.title,
        "description": _description(shared),
        "keywords": ["synthetic data", "tabular"],
        **_published(shared.made),
        "isLiveDataset": False,
        "rai:hasSyntheticData": True,
        "rai:dataCollection": [_made(each) for each in shared.candidates],
        "rai:dataLimitations": list(shared.limits),
        "rai:personalSensitiveInformation": [_PERSONS, *(_guaranteed(each) for each in shared.candidates)],
        "prov:wasGeneratedBy": [_activity(each, shared.versions) for each in shared.candidates],
        "distribution": [_file(place, each) for place, each in places],
        "recordSet": [_records(place, each, shared.columns) for place, each in places],
    }
    return pasteable(tree)


def _description(dossier: Dossier) -> str:
    names = ", ".join(f"{each.name} ({each.rows:,} rows)" for each in dossier.candidates)
    return f"Synthetic rows that stand in for those of a real table: {names or 'none'}."


def _published(made: str) -> dict[str, str]:
    """Return the day; the moment is written for people and is no ISO time."""
    day = re.match(r"\d{4}-\d{2}-\d{2}(?!\d)", made)
    return {"datePublished": day.group()} if day else {}


def _made(candidate: Candidate) -> str:
    return f"{candidate.name}: {candidate.recipe or 'how it was made is not known to the audit'}"


def _guaranteed(candidate: Candidate) -> str:
    return f"{candidate.name}: {guaranteed(candidate)}"


def _activity(candidate: Candidate, versions: dict[str, str]) -> dict[str, Any]:
    """Return what drew the rows, as far as that is known, and what described them."""
    known = {"@type": "prov:Activity", "name": candidate.recipe or "not known"}
    tool = f"understudy {versions['understudy']}" if "understudy" in versions else "understudy"
    return {**known, "description": f"described by an audit of {tool}"}


def _file(place: int, candidate: Candidate) -> dict[str, Any]:
    """Return the file; names go where no reader takes them for an identifier or an address."""
    plain = {"@type": "cr:FileObject", "@id": _id(place), "name": candidate.name}
    where = {"contentUrl": quote(candidate.name, safe="", errors="backslashreplace")}
    hashed = {"sha256": candidate.digest} if re.fullmatch("[0-9a-f]{64}", candidate.digest) else {}
    return {**plain, **where, "encodingFormat": _format(candidate.name), **hashed}


def _format(name: str) -> str:
    matches = [ending for ending in _FORMATS if name.lower().endswith(ending)]
    return _FORMATS[max(matches, key=len)] if matches else "application/octet-stream"


def _records(place: int, candidate: Candidate, columns: tuple[Column, ...]) -> dict[str, Any]:
    fields = [_field(place, at, column) for at, column in enumerate(columns)]
    return {"@type": "cr:RecordSet", "@id": f"{_id(place)}-rows", "name": candidate.name, "field": fields}


def _field(place: int, at: int, column: Column) -> dict[str, Any]:
    told = [f"kind: {column.kind}", f"domain: {column.origin}", *([column.domain] if column.domain else [])]
    return {
        "@type": "cr:Field",
        "@id": f"{_id(place)}-rows/{at}",
        "name": column.name,
        "description": "; ".join(told),
        "dataType": _TYPES.get(column.kind, "sc:Text"),
        "source": {"fileObject": {"@id": _id(place)}, "extract": {"column": column.name}},
    }


def _id(place: int) -> str:
    return f"table-{place}"
