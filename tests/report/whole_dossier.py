"""A dossier in which every text is one word, and every secret is a canary."""

from __future__ import annotations

import math

from understudy.privacy.certificate import Certificate, covering
from understudy.privacy.entry import Entry
from understudy.privacy.events import Gaussian
from understudy.report.dossier import (
    Candidate,
    Column,
    Dossier,
    Grid,
    Group,
    Histogram,
    Line,
    Points,
    Record,
    Subject,
)
from understudy.result import Result

CANARY = "canary7351"
COUNT = 73_512_468
DIGEST = "5e" * 32
KINDS = (
    "numerical",
    "boolean",
    "categorical",
    "ordinal",
    "datetime",
    "date",
    "time",
    "duration",
    "id",
    "text",
)


def certificate(word="sums", noise=4.0):
    entry = Entry(word, "measure", Gaussian(noise), (word,), because=word, name=word)
    return covering(Certificate((entry,), declared={word: word}), {"a.csv": DIGEST})


def results(word="x"):
    """Return three results: a score, a risk, and one that could not be measured."""
    seen = {
        "saw_real_rows": True,
        "n": COUNT,
        "per_record": (0.7351246, 0.5),
        "notes": (word, f"{COUNT:,} rows"),
    }
    return (
        Result("fidelity.toy", 1 / 3, 0.25, 0.5, 0.125, "lower", parts={word: 2 / 3, "b": math.inf}, **seen),
        Result("privacy.mia", 0.9, 0.85, 0.95, 0.5, "lower", **seen),
        Result(f"utility.{word}", math.nan, math.nan, math.nan, 0.5, "higher", saw_real_rows=False, n=50),
    )


def candidate(word="x", name="a.csv", **changes):
    made = {
        "name": name,
        "rows": 1_000,
        "digest": DIGEST,
        "results": results(word),
        "lines": (Line(word, word, word, "kept", word, word), Line("b", "at most 1", "2", "broken")),
        "certificate": certificate(word),
        "recipe": word,
        "histograms": (Histogram(word, (word,), (1.0,), real=(0.7351246,)),),
        "grids": (Grid(word, (word,), ((0.0,),), 1.0, True, True),),
        "planes": (Points(word, ((CANARY, ((0.0, 0.0),)),), True),),
        "groups": (Group(word, CANARY, word, COUNT, 0.5, 0.4, 0.6, 1.0, 0.5, 1.5),),
        "records": (Record(CANARY, COUNT, (word,), 1.0),),
        "findings": (word,),
    }
    return Candidate(**(made | changes))


def dossier(word="x", *candidates, **changes):
    made = {
        "title": word,
        "made": "2026-02-03T04:05:06+00:00",
        "level": "quick",
        "seed": 7,
        "policy": word,
        "subjects": (Subject("train", CANARY, COUNT, CANARY), Subject("synthetic", "a.csv", 1_000, DIGEST)),
        "columns": (
            *(Column(f"{kind}_{word}", kind, "declared", word) for kind in KINDS),
            Column(word, "id", "observed", ""),
        ),
        "candidates": candidates or (candidate(word),),
        "versions": {"understudy": "0.1.0", word: word},
        "hardware": {"cores": "2", word: word},
        "limits": (word, "It says nothing about other releases."),
        "seconds": 12.3456789,
    }
    return Dossier(**(made | changes))


def has_canary(text):
    """Say whether a count, a per-record score or a name of the real side stands in the text."""
    return any(secret in text for secret in (CANARY, str(COUNT), f"{COUNT:,}", "0.7351246", "735125"))
