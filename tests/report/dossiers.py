"""Dossiers to draw from: made of plain numbers as an audit of Adult gives them, no table behind."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from understudy.privacy.certificate import Certificate
from understudy.privacy.entry import Entry
from understudy.privacy.events import DiscreteGaussian, Gaussian, SampledGaussian
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

FPRS = (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
DESCRIPTION = (
    "a description, not a promise: tables that look well by it have been broken by membership attacks"
)
TARGET = "target: the last column, 'income'"
NULL = "the null compares 750 with 750 real rows"

# name, value, half of the interval, null, better, note
SCORES = [
    ("privacy.closest_distance_hamming", 0.493, 0.020, 0.5, "lower", ""),
    ("privacy.closest_distance_l2", 0.501, 0.021, 0.5, "lower", ""),
    ("privacy.dcr", 0.483, 0.037, 0.5, "null", DESCRIPTION),
    ("privacy.domias", 0.514, 0.021, 0.5, "lower", ""),
    ("privacy.dpi", 0.504, 0.021, 0.5, "lower", "1,000 of 32,561 train rows were targets"),
    ("privacy.gan_leaks", 0.507, 0.021, 0.5, "lower", ""),
    ("privacy.gan_leaks_calibrated", 0.525, 0.0206, 0.5, "lower", ""),
    ("privacy.gen_lra", 0.519, 0.0207, 0.5, "lower", ""),
    ("privacy.kernel_estimator", 0.507, 0.021, 0.5, "lower", ""),
    ("privacy.logan", 0.516, 0.0207, 0.5, "lower", ""),
    ("privacy.mc", 0.507, 0.019, 0.5, "lower", ""),
    ("privacy.mia", 0.509, 0.029, 0.5, "lower", "of 3 attacks kernel_estimator was chosen"),
    ("privacy.nndr", 0.834, 0.0165, 0.8325, "null", DESCRIPTION),
    ("privacy.identical_match", 0.0, 0.0, 0.0, "null", DESCRIPTION),
    ("privacy.singling_out", 0.0116, 0.0116, 0.0, "lower", ""),
    ("privacy.linkability", 0.0092, 0.0092, 0.0, "lower", ""),
    ("privacy.inference", 0.0123, 0.0123, 0.0, "lower", "naive guesses did as well as the attack (race)"),
    ("fidelity.alpha_precision", 0.9675, 0.02, 0.9768, "higher", ""),
    ("fidelity.beta_recall", 0.322, 0.026, 0.567, "null", "1,000 of 1,500 rows of each table were asked"),
    ("fidelity.column_row", 0.982, 0.003, 0.988, "higher", ""),
    ("fidelity.constraints", math.nan, math.nan, math.nan, "lower", "undefined: the schema declares no rule"),
    ("fidelity.detection", 0.865, 0.013, 0.5, "lower", "classifier: XGBoost 3.2.0"),
    ("fidelity.marginal_wasserstein", 0.0155, 0.0045, 0.0212, "lower", ""),
    ("fidelity.missingness", 0.0005, 0.0001, 0.0002, "lower", ""),
    ("fidelity.mutual_information", 0.561, 0.034, 0.882, "higher", ""),
    ("fidelity.resemblance", 0.967, 0.006, 0.966, "higher", ""),
    ("fidelity.shape_trend", 0.953, 0.007, 0.959, "higher", ""),
    ("fidelity.wasserstein", 0.0482, 0.007, 0.0382, "lower", ""),
    ("utility.all_columns", 0.855, 0.116, 1.0, "higher", NULL),
    ("utility.five_classifiers", 0.815, 0.016, 0.832, "higher", TARGET),
    ("utility.query_error", 0.0017, 0.0004, 0.001, "lower", ""),
    ("utility.tstr_auroc", 0.842, 0.022, 0.876, "higher", TARGET),
]
CONTROLS = {"privacy.singling_out": 0.102, "privacy.linkability": 0.0288, "privacy.inference": 0.519}
NAMES = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
)
QUANTITIES = {"age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"}


def results(shift: float = 0.0, seed: int = 0) -> tuple[Result, ...]:
    """Return results; a shift makes attacks stronger and the rest better, as copies do."""
    rng = np.random.default_rng(seed)
    return tuple(_result(*score, shift=shift, rng=rng) for score in SCORES)


def _result(name, value, reach, null, better, note, *, shift, rng):
    risk = name.startswith("privacy.")
    if shift:
        value = min(1.0, value + shift) if risk and better == "lower" else value + (null - value) * shift
    parts = {"control": CONTROLS[name]} if name in CONTROLS else {}
    attack = risk and null == 0.5 and better == "lower"
    if attack:
        power = (1 - value) / max(value, 1e-9)  # the power law whose area is the value
        parts = {"auroc": value} | {f"tpr_at_fpr_{fpr}": round(fpr**power, 4) for fpr in FPRS}
    return Result(
        name,
        value,
        value - reach if not risk else max(0.0, value - reach),
        value + reach if not (risk and reach and value + reach > 1) else 1.0,
        null,
        better,
        True,
        parts,
        tuple(rng.beta(5, 5, 1_500).tolist()) if attack else None,
        3_000,
        0.5,
        (note,) * bool(note),
    )


def certificate() -> Certificate:
    return Certificate(
        (
            Entry(
                "counts of every column",
                "measure",
                DiscreteGaussian(24.0, 15),
                NAMES,
                "a row moves one cell of each column by 1",
            ),
            Entry(
                "counts of chosen pairs",
                "measure",
                Gaussian(9.5),
                ("age", "income"),
                "a row moves one cell by 1",
            ),
            Entry(
                "gradients of the net",
                "train",
                SampledGaussian(1.4, 0.01, 800),
                (),
                "each row's gradient is clipped to norm 1",
            ),
        ),
        assumptions=("every declared bound was known without looking at the rows",),
        tool="understudy 0.1.0",
    )


def open_certificate() -> Certificate:
    return Certificate((Entry("all rows, to learn a copula", "train"),))


LINES = (
    Line(
        "Strongest membership attack",
        "AUROC at most 0.60",
        "0.525 (0.504 to 0.545)",
        "kept",
        "built-in policy release-1",
        "a common line for public release",
    ),
    Line(
        "Singling out",
        "risk at most 0.09",
        "0.0116 (0 to 0.0232)",
        "kept",
        "EMA 0070",
        "regulators' threshold for record risk",
    ),
    Line("Linkability", "risk at most 0.09", "0.0092 (0 to 0.0184)", "kept", "EMA 0070"),
    Line("Inference", "risk at most 0.09", "0.0123 (0 to 0.0246)", "kept", "EMA 0070"),
    Line("Exact copies", "no more than fresh rows", "0 (0 to 0)", "kept", "built-in policy release-1"),
    Line(
        "Epsilon",
        "at most 8 at delta 1e-5",
        "3.2",
        "kept",
        "house rule 4",
        "agreed with the data protection officer",
    ),
    Line("Resemblance", "at least 0.95 of the null", "1.00", "kept", "house rule 7"),
)


def candidate(name: str = "adult-private.csv", **changes) -> Candidate:
    found = Candidate(
        name,
        1_500,
        "3f" * 32,
        results(),
        LINES,
        certificate(),
        "mst, epsilon 3, seed 0",
        tuple(_histogram(each, at) for at, each in enumerate(NAMES)),
        (
            Grid(
                "Pairs: difference of joint shares",
                NAMES,
                _square(0.12, 3),
                0.2,
                signed=False,
                confidential=False,
            ),
            Grid("Correlation, real", NAMES, _square(0.6, 4, one=True), 1.0, signed=True, confidential=True),
            Grid(
                "Correlation, synthetic",
                NAMES,
                _square(0.5, 5, one=True),
                1.0,
                signed=True,
                confidential=False,
            ),
        ),
        (Points("t-SNE of rows", (("synthetic", _cloud(6)), ("real", _cloud(7))), confidential=True),),
        (
            Group("race", "Amer-Indian-Eskimo", "privacy.dpi", 14, 0.61, 0.44, 0.78, 3.1, 0.4, 9.8),
            Group("age", "part 4 of 4", "privacy.dpi", 372, 0.53, 0.49, 0.57, 1.6, 0.9, 2.6),
        ),
        tuple(
            Record(f"{at:016x}", at * 37, ("privacy.dpi", "privacy.domias"), 0.99 - at / 100)
            for at in range(1, 7)
        ),
        ("privacy.logan took longer than was forecast",),
    )
    return replace(found, **changes)


def refused() -> Candidate:
    broken = (
        replace(LINES[0], found="0.985 (0.964 to 1.00)", verdict="broken"),
        replace(LINES[4], found="1.00 (0.998 to 1.00)", verdict="broken"),
    )
    open_ = replace(LINES[5], found="no bound: rows were read as they are", verdict="broken")
    lines = (broken[0], *LINES[1:4], broken[1], open_, LINES[6])
    return candidate(
        "adult-copula.csv", results=results(0.46, 1), lines=lines, certificate=open_certificate()
    )


def undecided() -> Candidate:
    line = replace(LINES[0], found="0.59 (0.57 to 0.61)", verdict="unsure")
    return candidate("adult-tvae.csv", lines=(line, *LINES[1:]), results=results(0.07, 2))


def dossier(*candidates: Candidate, confidential: bool = True) -> Dossier:
    given = candidates or (candidate(),)
    found = Dossier(
        "Adult, census income 1994",
        "2026-11-16T04:00:00Z",
        "standard",
        0,
        "release-1.toml",
        (
            Subject("train", "adult-train.csv", 16_281, "a1" * 32),
            Subject("holdout", "adult-holdout.csv", 16_280, "b2" * 32),
            Subject("synthetic", given[0].name, given[0].rows, given[0].digest),
        ),
        tuple(
            Column(
                name,
                "integer" if name in QUANTITIES else "category",
                "declared" if at % 3 else "observed",
                "17 to 90" if name == "age" else "",
                judged=name != "fnlwgt",
            )
            for at, name in enumerate(NAMES)
        ),
        given,
        {"understudy": "0.1.0", "python": "3.11.2", "numpy": "2.4.0"},
        {"processor": "x86_64, 2 cores", "memory": "8 GiB"},
        ("The holdout is a half of the same file: people who answered twice may be in both.",),
        214.0,
    )
    return found if confidential else found.shared()


def _histogram(name: str, at: int) -> Histogram:
    rng = np.random.default_rng(at)
    numeric = name in QUANTITIES
    size = 24 if numeric else int(rng.integers(2, 16))
    shape = (
        np.exp(-(((np.arange(size) - size * 0.35) / (size * 0.25)) ** 2))
        if numeric
        else rng.exponential(size=size)
    )
    real, made = shape / shape.sum(), shape * rng.uniform(0.8, 1.2, size)
    labels = tuple(
        f"{17 + 3 * k} to {20 + 3 * k}" if numeric else f"level {chr(97 + k)}" for k in range(size)
    )
    return Histogram(
        name,
        labels,
        tuple((made / made.sum()).tolist()),
        tuple(real.tolist()),
        0.012 * (at % 4 == 1),
        numeric,
    )


def _square(spread: float, seed: int, *, one: bool = False) -> tuple[tuple[float, ...], ...]:
    size = len(NAMES)
    values = np.random.default_rng(seed).normal(0, spread / 2, (size, size))
    values = np.clip((values + values.T) / 2, -1, 1) if one else np.abs(values + values.T) / 2
    np.fill_diagonal(values, 1.0 if one else math.nan)
    return tuple(tuple(row) for row in values.tolist())


def _cloud(seed: int) -> tuple[tuple[float, float], ...]:
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(1).normal(0, 30, (12, 2))
    points = centres[rng.integers(0, 12, 1_000)] + rng.normal(0, 4, (1_000, 2))
    return tuple((float(x), float(y)) for x, y in points)


REFUTED = Line(
    "certificate",
    "no attack exceeds epsilon 3.2 at delta 1e-05",
    "the claim is false: privacy.gan_leaks finds at least 61.2% of members",
    "broken",
)
STRANGE = Line(
    "certificate",
    "covers the table that is judged",
    "its digests name another file, or the file was altered",
    "broken",
)
