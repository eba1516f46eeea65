"""The questions of paper 003: local steps, budgets, sites and strategies, for DP-Fed-FinDiff in one process.

    python benchmarks/federated_study.py --tables credit_default adult --seeds 3 --out study.jsonl
    python benchmarks/federated_study.py --read study.jsonl

One factor is varied at a time around five sites, 100 local steps, FedAvg and epsilon 1; rows are parted by a
column of levels (non-IID). Every site has its own budget, with delta one over its rows as in the paper;
bounds and levels are public. Each line of the file is one training, judged by the mean of three risks (500
guesses each), the accuracy of five classifiers, and the fidelity of columns and rows.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from setting import DATASETS

import understudy as us
from understudy.federated.federation import Federation
from understudy.federated.partition import by_column, iid
from understudy.federated.site import Site
from understudy.federated.terms import Terms, columns_of
from understudy.report.svg import Scale, joined, picture, tag, text

BY = {
    "credit_default": "EDUCATION",
    "adult": "education",
    "bank_marketing": "job",
    "city_payments": "department_title",
}
LEFT_OUT = {
    "city_payments": [
        "fy",
        "document_no",
        "dept",
        "char_",
        "sub_obj",
        "doc_ref_no_prefix",
        "vendor_name",
        "contract_number",
        "contract_description",
        "check_date",
    ],
}
ROUNDS, STEPS, RATE = 20, 100, 0.02
RISKS = ("singling_out", "linkability", "inference")


class Case(NamedTuple):
    """One training of the study; what it is by default, the questions vary one at a time."""

    table: str
    sites: int = 5
    local_steps: int = STEPS
    strategy: str = "fedavg"
    epsilon: float | None = 1.0
    parted: str = "column"
    seed: int = 0

    @property
    def questions(self) -> list[tuple[str, str]]:
        """The questions that this training is part of the answer to, each with what it varies."""
        plain = Case(self.table, seed=self.seed)
        asked = {"local steps": "local_steps", "epsilon": "epsilon", "sites": "sites", "strategy": "strategy"}
        found = [
            (question, str(getattr(self, name)))
            for question, name in asked.items()
            if self._replace(**{name: getattr(plain, name)}) == plain and self.sites > 1
        ]
        if self.parted == "even" and self.sites > 1:
            found.append(("local steps, IID", str(self.local_steps)))
        return found or [("one site", f"epsilon {self.epsilon}")]


def cases(table: str, seeds: int) -> list[Case]:
    """Return every training of one table, once: also those of all rows at one site."""
    plain = [Case(table, local_steps=g, parted=p) for g in (10, 50, 100, 500) for p in ("column", "even")]
    plain += [Case(table, epsilon=e) for e in (0.2, 10.0, None)]
    plain += [Case(table, sites=n) for n in (3, 10)]
    plain += [Case(table, strategy=s) for s in ("fedprox", "fedadam", "fedyogi")]
    plain += [Case(table, sites=1, epsilon=e) for e in (1.0, None)]
    return [case._replace(seed=seed) for seed in range(seeds) for case in plain]


def parts(table: str) -> tuple[pd.DataFrame, pd.DataFrame, str]:
    """Return the training rows, the rows that judge, and the target."""
    facts = json.loads((DATASETS / f"{table}.json").read_text())
    ids = [column for column, kind in facts["column_kinds"].items() if kind == "id"]
    whole = pd.read_csv(DATASETS / f"{table}.csv.gz", low_memory=False)
    whole = whole.drop(columns=list({*ids, *LEFT_OUT.get(table, ())} & set(whole)))
    order = np.random.default_rng(0).permutation(len(whole))
    cut = round(0.8 * len(whole))
    train, test = (whole.iloc[part].reset_index(drop=True) for part in (order[:cut], order[cut:]))
    return train, test, str(facts["target"])


def stand_in(case: Case, train: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Train as the case says, and return as many rows as there are, with the certificate's status."""
    schema = us.Schema.infer(train).declare()  # bounds and levels count as public
    sites = [
        Site(
            f"site-{number}",
            part,
            None if case.epsilon is None else us.Budget(epsilon=case.epsilon, delta=1 / len(part)),
            schema=schema,
            rows=len(part),
            least_cohort=1,
        )
        for number, part in enumerate(parted(case, train))
    ]
    terms = Terms(
        "findiff",
        columns_of(schema),
        private=case.epsilon is not None,
        rounds=ROUNDS,
        local_steps=case.local_steps,
        rate=RATE,
        strategy=case.strategy,
        server_lr=0.01 if case.strategy in {"fedadam", "fedyogi"} else 1.0,
        least_cohort=1,
        weights="declared",
        seed=case.seed,
    )
    model = Federation(sites, terms).fit()
    return model.sample(len(train), seed=case.seed).to_pandas(), model.certificate.status


def parted(case: Case, train: pd.DataFrame) -> list[us.Table]:
    """Return the rows of every site."""
    if case.parted == "even" or case.sites == 1:
        return iid(train, case.sites, case.seed)
    return by_column(train, case.sites, BY[case.table])


def run(case: Case) -> dict[str, Any]:
    """Train, draw and judge."""
    import torch

    torch.set_num_threads(1)
    train, test, target = parts(case.table)
    begun = time.perf_counter()
    drawn, status = stand_in(case, train)
    found: dict[str, Any] = {"seconds": time.perf_counter() - begun, "certificate": status}
    evidence = us.Evidence(train=train, holdout=test, synthetic=drawn, target=target)
    for name in RISKS:
        found[name] = us.attacks.get(name)(attacks=500)(evidence, seed=case.seed).value
    found["privacy"] = float(np.mean([found[name] for name in RISKS]))
    found["utility"] = us.metrics.get("five_classifiers")(rows=5_000)(evidence, seed=case.seed).value
    found["fidelity"] = us.metrics.get("column_row")()(evidence, seed=case.seed).value
    return {**case._asdict(), **found}


def study(tables: list[str], seeds: int, workers: int, out: Path) -> None:
    """Run every case that the file does not have yet, the longest first, and write each as it is done."""
    lines = out.read_text().splitlines() if out.exists() else []
    done = {tuple(json.loads(line)[name] for name in Case._fields) for line in lines}
    wanted = [case for table in tables for case in cases(table, seeds) if tuple(case) not in done]
    wanted.sort(key=lambda case: (case.seed, -case.local_steps * case.sites))
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool, out.open("a") as file:
        for finished in as_completed([pool.submit(run, case) for case in wanted]):
            file.write(json.dumps(finished.result()) + "\n")
            file.flush()


def told(path: Path) -> None:
    """Print a table of means with intervals, and draw the figure beside the file."""
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in path.read_text().splitlines():
        found = json.loads(line)
        case = Case(*(found[name] for name in Case._fields))
        for question, value in case.questions:
            groups[question, case.table, value].append(found)
    print(
        "| question | table | value | risk | utility | fidelity | trainings |\n|---|---|---|---|---|---|---|"
    )
    for key, lines in sorted(groups.items(), key=lambda item: (item[0][0], item[0][1], _order(item[0][2]))):
        cells = [_mean([line[name] for line in lines]) for name in ("privacy", "utility", "fidelity")]
        print(f"| {' | '.join(key)} | {' | '.join(cells)} | {len(lines)} |")
    path.with_suffix(".svg").write_text(drawn(groups))


def drawn(groups: dict[tuple[str, str, str], list[dict[str, Any]]]) -> str:
    """Return one picture: a column for each question, a row for each measure, a line for each table."""
    questions = ["local steps", "local steps, IID", "epsilon", "sites", "strategy"]
    marks = []
    for column, question in enumerate(questions):
        for row, name in enumerate(("privacy", "utility", "fidelity")):
            marks.append(_panel(groups, question, name, (60.0 + 220 * column, 40.0 + 170 * row)))
    names = [(table, COLOURS[place]) for place, table in enumerate(BY)]
    legend = [
        text(name, 60 + 160 * k, 555, fill=colour, font_size="14") for k, (name, colour) in enumerate(names)
    ]
    svg = picture((1_160, 570), "The questions of paper 003", "risk, utility and fidelity", [*marks, *legend])
    return str(svg).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" ', 1)


COLOURS = ("#0b6e99", "#b5460f", "#3c7a1a", "#7a3c9a")


def _panel(
    groups: dict[tuple[str, str, str], list[dict[str, Any]]],
    question: str,
    name: str,
    at: tuple[float, float],
) -> str:
    values = sorted({key[2] for key in groups if key[0] == question}, key=_order)
    level = [line[name] for key, lines in groups.items() for line in lines if key[0] in {question, "epsilon"}]
    y = Scale((min(level, default=0.0) - 0.01, max(level, default=1.0) + 0.01), (at[1] + 130, at[1]))
    x = Scale((0, max(len(values) - 1, 1)), (at[0] + 10, at[0] + 160))
    parts = [tag("path", d=f"M{at[0]} {at[1]}V{at[1] + 130}H{at[0] + 170}", fill="none", stroke="#777")]
    parts += [text(f"{tick:g}", at[0] - 34, y(tick) + 4, font_size="10") for tick in y.ticks(4)]
    parts += [text(value, x(k) - 12, at[1] + 144, font_size="10") for k, value in enumerate(values)]
    parts.append(text(f"{question}: {name}", at[0], at[1] - 8, font_size="12"))
    for table, colour in zip(BY, COLOURS, strict=True):
        means = [(k, groups.get((question, table, value), [])) for k, value in enumerate(values)]
        points = [(x(k), y(float(np.mean([line[name] for line in lines])))) for k, lines in means if lines]
        parts += [tag("circle", cx=a, cy=b, r=3, fill=colour) for a, b in points]
        if points:
            way = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in points)
            parts.append(tag("path", d=way, fill="none", stroke=colour))
    return joined(parts)


def _mean(values: list[float]) -> str:
    """Return a mean with the 95 % interval of its trainings."""
    from scipy.stats import t

    if len(values) < 2:
        return f"{np.mean(values):.3f}"
    reach = t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values))
    return f"{np.mean(values):.3f} ± {reach:.3f}"


def _order(value: str) -> tuple[float, str]:
    try:
        return float(value), ""
    except ValueError:
        return float("inf"), value


def main() -> None:
    """Run the study, or read one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tables", nargs="+", default=["credit_default", "adult", "bank_marketing"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("study.jsonl"))
    parser.add_argument("--read", type=Path)
    given = parser.parse_args()
    if given.read is None:
        study(given.tables, given.seeds, given.workers, given.out)
    told(given.read or given.out)


if __name__ == "__main__":
    main()
