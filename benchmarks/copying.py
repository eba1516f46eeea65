"""Paper 001 on Adult: thirds for training, holdout and reference; who is told to have been learned from?

    python benchmarks/copying.py [--methods tabddpm ...] [--repeats 5] [--json FILE] [--picture FILE.svg]

Each repeat deals out Adult anew, trains on one third and draws as many rows. Printed are the mean AUROC over
repeats, the deviation of one repeat, and a 95 % interval of the mean (t); beside it what the paper prints.
`r` is Pearson's correlation of the scores of DPI and calibrated GAN-Leaks. An interval that covers 0.5 is no
finding. The picture is Figure 1 of the paper: t-SNE of the training rows of the first method's first repeat,
the top 1 % of DPI in red; and it is said who these are.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import setting
from scipy.stats import t as student

import understudy as us
from understudy import attacks
from understudy.attacks.dpi import DPI
from understudy.measuring.group_risk import groups_at_risk
from understudy.measuring.plane import plane_of
from understudy.report.scatter import Cloud, scatter
from understudy.result import Result
from understudy.table.evidence import Evidence

ATTACKS = ["dpi", "gan_leaks_calibrated", "gan_leaks", "mc", "logan", "domias"]
PRINTED = {  # Table 1: DPI, calibrated GAN-Leaks, their correlation; mean and deviation of five
    "tabddpm": ((0.510, 0.004), (0.507, 0.003), (0.404, 0.012)),
    "bayesian_network": ((0.532, 0.005), (0.623, 0.000), (0.268, 0.020)),
    "arf": ((0.520, 0.000), (0.524, 0.001), (0.339, 0.006)),
    "adsgan": ((0.503, 0.003), (0.501, 0.003), (0.467, 0.039)),
    "ctgan": ((0.504, 0.003), (0.501, 0.005), (0.444, 0.063)),
    "nflow": ((0.501, 0.006), (0.500, 0.000), (0.482, 0.023)),
    "pategan": ((0.503, 0.003), (0.502, 0.003), (0.516, 0.018)),
    "tvae": ((0.505, 0.005), (0.502, 0.003), (0.466, 0.023)),
}
GROUPS = ["marital-status", "race", "sex", "age", "capital-gain", "income"]
Row = dict[str, float]


def main() -> None:
    """Attack every method in every repeat, and print means."""
    asked = arguments()
    adult = us.read(setting.dataset("adult")).to_arrow()
    found: dict[str, list[Row]] = {}
    for method in asked.methods:
        for repeat in range(asked.repeats):
            evidence = thirds(adult, method, repeat)
            results = attacks.run(evidence, names=ATTACKS, seed=repeat, workers=0, progress=False)
            found.setdefault(method, []).append(row_of(results))
            if asked.picture and method == asked.methods[0] and repeat == 0:
                draw(results, evidence, asked.picture)
            if asked.json:
                asked.json.write_text(json.dumps(found))
        show(method, found[method])


def arguments() -> argparse.Namespace:
    """Return what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--methods", nargs="+", default=[*PRINTED, "gaussian_copula"])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--picture", type=Path, default=None)
    return parser.parse_args()


def thirds(adult: pa.Table, method: str, repeat: int) -> Evidence:
    """Deal out the rows, and train on the first third."""
    order = np.random.default_rng(repeat).permutation(adult.num_rows)
    size = adult.num_rows // 3
    train, holdout, reference = (adult.take(order[part * size :][:size]) for part in range(3))
    start = time.perf_counter()
    drawn = us.synth.get(method)().fit(train, seed=repeat, progress=False).sample(size, seed=repeat)
    print(f"  {method}, repeat {repeat}: {time.perf_counter() - start:.0f} s to fit and draw", flush=True)
    synthetic = us.read(drawn).to_arrow()
    return Evidence(train=train, holdout=holdout, reference=reference, synthetic=synthetic)


def row_of(results: list[Result]) -> Row:
    """Return the AUROC of each attack, and how two of them correlate."""
    scores = {r.name.removeprefix("privacy."): np.array(r.per_record) for r in results if r.per_record}
    row = {r.name.removeprefix("privacy."): r.value for r in results}
    pair = np.array([scores["dpi"], scores["gan_leaks_calibrated"]])
    return row | {"r": float(np.corrcoef(pair[:, np.isfinite(pair).all(0)])[0, 1])}


def show(method: str, rows: list[Row]) -> None:
    """Print a line for each figure."""
    printed = dict(zip(("dpi", "gan_leaks_calibrated", "r"), PRINTED.get(method, ()), strict=False))
    print(f"{method:<18} {'mean':>7} {'sd':>7}   95 % interval of the mean   paper 001")
    for name in rows[0]:
        values = np.array([row[name] for row in rows])
        sd = float(values.std(ddof=1)) if len(values) > 1 else float("nan")
        half = float(student.ppf(0.975, max(len(values) - 1, 1))) * sd / len(values) ** 0.5
        beside = "{:.3f} +- {:.3f}".format(*printed[name]) if name in printed else ""
        span = f"{values.mean() - half:.3f} to {values.mean() + half:.3f}"
        print(f"  {name:<16} {values.mean():7.3f} {sd:7.3f}   {span:<25}   {beside}", flush=True)


def draw(results: list[Result], evidence: Evidence, path: Path) -> None:
    """Write the picture, and print which groups are on top more often than they are there."""
    (result,) = (r for r in results if r.name == "privacy.dpi")
    plane = plane_of(result, evidence)
    clouds = [
        Cloud("training rows", plane.points[~plane.risky], "#8a99ad", 1.6, 0.55),
        Cloud("top 1 % of DPI", plane.points[plane.risky], "#c62828", 3.2),
    ]
    path.write_text(scatter(clouds, "Training rows by t-SNE, the top 1 % of DPI in red"), encoding="utf-8")
    for name in GROUPS:
        for group in groups_at_risk(DPI(), evidence, name):
            if group.lift_low > 1:
                print(f"  {told(evidence, name, group.code)}: {span_of(group)}", flush=True)


def told(evidence: Evidence, name: str, code: int) -> str:
    """Return the name of a group: Adult is public."""
    if evidence.coded("train").column(name).quantity:
        return f"{name}, part {code + 1} from the least"
    levels = next(column for column in evidence.schema.columns if column.name == name).levels
    return f"{name} = {levels.values[code] if levels and code >= 0 else 'missing'}"


def span_of(group: Any) -> str:
    """Return a lift with its interval, and the AUROC within the group."""
    lift = f"{group.lift:.1f} times its share in the top 1 % ({group.lift_low:.1f} to {group.lift_high:.1f})"
    return f"{lift}; AUROC {group.auroc:.3f} ({group.low:.3f} to {group.high:.3f}) of {group.members:,}"


if __name__ == "__main__":
    main()
