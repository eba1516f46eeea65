"""Names that would like to be more than names, and a dossier that has one in every place for a text."""

from __future__ import annotations

import math

from understudy.privacy.certificate import Certificate
from understudy.privacy.entry import Entry
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

_CORES = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<b>bold</b>",
    "</title>",
    "</style><script>alert(2)</script>",
    "</script><script>alert(3)</script>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<a href=javascript:alert(1)>x</a>",
    "<iframe src=//example.org></iframe>",
    "<base href=//example.org>",
    "<meta http-equiv=refresh content=0>",
    "<form><input autofocus onfocus=alert(1)>",
    "<style>*{display:none}</style>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><animate onbegin=alert(1)>",
    "<math><mtext></mtext></math>",
    "<details open ontoggle=alert(1)>",
    "<template><p></template>",
    "<object data=x>",
    "<textarea>",
    "<plaintext>",
    "{{7*7}}",
    "{% raw %}",
    "{#",
    "${7*7}",
    "#{7*7}",
    "<%= 7*7 %>",
    "{{ cycler.__init__ }}",
    "%s%d{0}{x}",
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "=cmd|' /C calc'!A0",
    "\t=1",
    "\r\n=1",
    "\u202eevil\u202c",
    "\u2066a\u2069",
    "\u200f\u200e",
    "\u061c",
    "\u2028x\u2029y",
    "\ufeff",
    "\u200b\u200d",
    "\x00",
    "a\x00b",
    "\x1b[31mred",
    "\x07\x08",
    "\n\n\n",
    "\ud800",
    "\x85",
    "\x9b",
    "\ue000",
    "\uffff",
    '"',
    "'",
    "`",
    '" onmouseover="alert(1)',
    "' onclick='alert(1)",
    "&lt;b&gt;",
    "&#60;b&#62;",
    "&amp;",
    "&",
    "<",
    ">",
    "\\",
    "\\u003cb\\u003e",
    "%3Cb%3E",
    "javascript:alert(1)",
    "data:text/html,<b>x",
    "url(//example.org)",
    "expression(1)",
]
_SHELLS = ["{}", 'x"{}', "x'>{}", "\u05d0{}\u05d0" + "w" * 200]
PAYLOADS = [shell.replace("{}", core) for shell in _SHELLS for core in _CORES]


def named(word: str, *, confidential: bool, candidates: int = 1) -> Dossier:
    """Return a small dossier with the word in every place where a name, a label or a note can stand."""
    given = tuple(_candidate(word, at) for at in range(candidates))
    found = Dossier(
        word,
        word,
        word,
        0,
        word,
        (Subject("train", word, 60, word), Subject("synthetic", word, 50, word)),
        (Column(word, word, word, word), Column(word, word, word)),
        given,
        {word: word},
        {word: word},
        (word,),
        1.0,
    )
    return found if confidential else found.shared()


def _candidate(word: str, at: int) -> Candidate:
    names, shift = (word, word + "2"), 0.01 * at
    return Candidate(
        word,
        50,
        word,
        _results(word, shift),
        (Line(word, word, word, "broken", word, word), Line(word, word, word, "not judged", word, word)),
        Certificate((Entry(word, "train", columns=(word,), because=word, name=word),), (word,)),
        word,
        (
            Histogram(word, names, (0.5, 0.5), (0.4, 0.6), 0.1),
            Histogram(word, names, (1.0, 0.0), None, 0, numeric=True),
        ),
        (Grid(word, names, ((math.nan, -0.3), (-0.3, 0.0)), 0.5, signed=True, confidential=False),),
        (Points(word, ((word, ((0.0, 0.0), (1.0, 2.0))), (word, ((0.5, 0.5),))), confidential=False),),
        (Group(word, word, word, 12, 0.6, 0.5, 0.7, 2.0, 1.0, 3.0),),
        (Record(word, 3, (word, word), 0.9),),
        (word,),
    )


def _results(word: str, shift: float) -> tuple[Result, ...]:
    names = (
        "privacy.dpi",
        "privacy.singling_out",
        "privacy.linkability",
        f"privacy.{word}",
        f"fidelity.{word}",
    )
    names += ("fidelity.resemblance", "utility.tstr_auroc", f"utility.{word}")
    curve = {"tpr_at_fpr_0.1": 0.2, f"tpr_at_fpr_{word}": 0.3, word: 0.4}
    seen = {"saw_real_rows": True, "notes": (word,)}
    made = [
        Result(
            name,
            0.55 + shift,
            0.5,
            0.6 + shift,
            0.4,
            "lower",
            parts=curve,
            per_record=(0.1, 0.9),
            n=60,
            **seen,
        )
        for name in names
    ]
    return (*made, Result(f"privacy.not {word}", math.nan, math.nan, math.nan, math.nan, "lower", **seen))
