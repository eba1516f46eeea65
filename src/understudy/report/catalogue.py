"""What each measure is called in a report, under which question it stands, and what its adversary had.

The questions are those of Opinion 05/2014 of the Article 29 Working Party (WP216): can somebody be singled
out, can records be linked, can something be inferred. Membership stands beside them.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import final

from understudy.result import Result

__all__ = ["QUESTIONS", "Known", "asked", "known", "under", "worded"]

QUESTIONS = {
    "Singling out": "Can one person's record be isolated?",
    "Linkability": "Can records about the same person be brought together?",
    "Inference": "Can an attribute of a person be deduced?",
    "Membership": "Can it be told that a person's record was in the table?",
    "Other checks": "Checks that this version of the report does not know by name.",
}

_TABLE = "the synthetic table"
_OTHERS = "the synthetic table, and other real rows of the same kind"
_SHADOWS = "the synthetic table, other real rows, and the recipe to train models of his own"
_ALL = "the real and the synthetic table: a description, no adversary"


@final
@dataclass(frozen=True)
class Known:
    """A measure: its name in words, the question it answers, and what the adversary had."""

    label: str
    question: str = ""
    had: str = ""


_MEMBERSHIP = {
    "closest_distance_hamming": ("Closest row, by differing columns", _TABLE),
    "closest_distance_l2": ("Closest row, by distance", _TABLE),
    "corr_groundhog": ("Groundhog, by correlations", _SHADOWS),
    "dcr": ("Distance to closest record", _ALL),
    "domias": ("DOMIAS, ratio of densities", _OTHERS),
    "dpi": ("Data plagiarism index", _OTHERS),
    "ensemble": ("Ensemble of attacks", _SHADOWS),
    "epsilon_audit": ("Audit of epsilon", "the synthetic table or the model, and known canaries"),
    "gan_leaks": ("GAN-Leaks", _TABLE),
    "gan_leaks_calibrated": ("GAN-Leaks, calibrated", _OTHERS),
    "gen_lra": ("Gen-LRA, likelihood ratio", _OTHERS),
    "hist_groundhog": ("Groundhog, by histograms", _SHADOWS),
    "kernel_estimator": ("Kernel density", _TABLE),
    "logan": ("LOGAN, a forest", _OTHERS),
    "mc": ("Monte Carlo", _TABLE),
    "mds": ("MDS, difference of distances", _SHADOWS),
    "mia": ("Best of five attacks", _TABLE),
    "naive_groundhog": ("Groundhog, by moments", _SHADOWS),
    "nndr": ("Nearest neighbour distance ratio", _ALL),
    "query_groundhog": ("Groundhog, by queries", _SHADOWS),
    "rmia": ("RMIA, relative to others", _SHADOWS),
    "vmia": ("Outliers, by shadow models", _SHADOWS),
}
_KNOWN = {f"privacy.{name}": Known(label, "Membership", had) for name, (label, had) in _MEMBERSHIP.items()}
_KNOWN |= {
    "privacy.singling_out": Known("Singling out by predicates", "Singling out", _TABLE),
    "privacy.identical_match": Known("Exact copies of training rows", "Singling out", _ALL),
    "privacy.linkability": Known(
        "Linking two halves of a record", "Linkability", "the synthetic table, and both halves of each record"
    ),
    "privacy.inference": Known(
        "Inferring a secret cell", "Inference", "the synthetic table, and the other cells of each record"
    ),
    "fidelity.alpha_precision": Known("Alpha precision"),
    "fidelity.beta_recall": Known("Beta recall"),
    "fidelity.column_row": Known("Column and row fidelity"),
    "fidelity.constraints": Known("Broken declarations"),
    "fidelity.detection": Known("Detection by a classifier"),
    "fidelity.discriminability": Known("Discriminability"),
    "fidelity.marginal_wasserstein": Known("Wasserstein, columns"),
    "fidelity.missingness": Known("Missing cells"),
    "fidelity.mmd": Known("Maximum mean discrepancy"),
    "fidelity.mutual_information": Known("Mutual information"),
    "fidelity.pmse": Known("Propensity (pMSE)"),
    "fidelity.resemblance": Known("Resemblance"),
    "fidelity.shape_trend": Known("Shapes and trends"),
    "fidelity.wasserstein": Known("Wasserstein, pairs"),
    "utility.all_columns": Known("Predicting every column"),
    "utility.five_classifiers": Known("Five classifiers, accuracy"),
    "utility.mla": Known("Loss of evaluators"),
    "utility.query_error": Known("Counting queries, error"),
    "utility.regression_overlap": Known("Regression, overlap of intervals"),
    "utility.subgroups": Known("Worst group's loss"),
    "utility.tstr_auroc": Known("Train on synthetic, AUROC"),
}


_ASKED = {name: about.label for name, about in _KNOWN.items()} | {
    "membership": "Strongest membership attack",
    "gdpr": "Worst of singling out, linkability and inference",
    "epsilon": "Epsilon of the certificate",
    "guarantee": "A proven guarantee",
    "certificate": "The claim of the certificate",
}


def known(name: str) -> Known:
    """Return what is known of a measure; one that is new keeps its own name.

    >>> known("privacy.linkability").question, known("privacy.of_tomorrow").question
    ('Linkability', 'Other checks')
    """
    found = _KNOWN.get(name)
    if found is not None:
        return found
    return Known(name, "Other checks", "not stated") if name.startswith("privacy.") else Known(name)


def asked(what: str) -> str:
    """Return in words what a line of a policy speaks of: a measure, a group of them, or a part.

    >>> asked("membership.tpr_at_fpr_0.01")
    'Strongest membership attack, true positives at a false positive rate of 0.01'
    >>> asked("house rule")
    'house rule'
    """
    found = next((name for name in sorted(_ASKED, key=len, reverse=True) if _is_of(what, name)), None)
    if found is None:
        return what
    part = what.removeprefix(found).removeprefix(".")
    if part.startswith("tpr_at_fpr_"):
        part = f"true positives at a false positive rate of {part.removeprefix('tpr_at_fpr_')}"
    return f"{_ASKED[found]}, {part.replace('_', ' ')}" if part else _ASKED[found]


_NAMED = re.compile(r"\b(?:privacy|fidelity|utility)\.\w+|(?<=\bby )\w+(?=, the worst of)")


def worded(found: str) -> str:
    """Return what a line found with the names of measures in words.

    >>> worded("0.213 by gan_leaks, the worst of 16"), worded("privacy.logan finds at least 9.1% of members")
    ('0.213 by GAN-Leaks, the worst of 16', 'LOGAN, a forest finds at least 9.1% of members')
    """
    return _NAMED.sub(_label, found)


def _label(name: re.Match[str]) -> str:
    said = name.group()
    about = _KNOWN.get(said if "." in said else f"privacy.{said}")
    return said if about is None else about.label


def _is_of(what: str, name: str) -> bool:
    return what == name or what.startswith(f"{name}.")


def under(question: str, results: tuple[Result, ...]) -> tuple[Result, ...]:
    """Return the risks that answer a question: the largest first, descriptions behind them."""
    found = [
        each for each in results if each.name.startswith("privacy.") and known(each.name).question == question
    ]
    return tuple(sorted(found, key=lambda each: (math.isnan(each.value), each.better == "null", -each.value)))
