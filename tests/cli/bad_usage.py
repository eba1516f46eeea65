"""Ways to use the command line wrongly: the words, and a part of the message that must name what is wrong."""

from __future__ import annotations

import json

from cli.people import table_text

SYNTHESIZE = ["synthesize", "people.csv", "-o", "out.csv"]
FIT = ["fit", "people.csv", "-o", "out"]
SAMPLE = ["sample", "model", "-o", "out.csv", "--rows", "5"]

FLAGS = [
    (["nonsense"], "nonsense"),
    (["Synthesize", "people.csv", "-o", "out.csv"], "Synthesize"),
    (["--nonsense"], "--nonsense"),
    (["-x"], "-x"),
    (["synthesize"], "DATA"),
    (["synthesize", "people.csv"], "--output"),
    (["synthesize", "-o", "out.csv"], "DATA"),
    ([*SYNTHESIZE, "people.csv"], "unexpected extra argument"),
    ([*SYNTHESIZE, "--bogus"], "--bogus"),
    ([*SYNTHESIZE, "--bogus", "--json"], "--bogus"),
    ([*SYNTHESIZE, "--method"], "--method"),
    ([*SYNTHESIZE, "--rows"], "--rows"),
    (["synthesize", "people.csv", "-o"], "-o"),
    (["fit", "people.csv"], "--output"),
    (["fit"], "DATA"),
    ([*FIT, "--rows", "5"], "--rows"),
    ([*FIT, "--where", "sex=F"], "--where"),
    (["sample", "model", "-o", "out.csv"], "--rows"),
    (["sample", "model", "--rows", "3"], "--output"),
    (["sample", "-o", "out.csv", "--rows", "3"], "MODEL"),
    ([*SAMPLE, "--method", "copy"], "--method"),
    (["impute", "model", "people.csv"], "--output"),
    (["impute", "model", "-o", "out.csv"], "DATA"),
    (["impute", "model", "people.csv", "-o", "out.csv", "--rows", "3"], "--rows"),
    (["schema"], "DATA"),
    (["schema", "people.csv", "--rows", "3"], "--rows"),
    (["methods", "extra"], "unexpected extra argument"),
    (["verify"], "PATH"),
    (["verify", "model", "model"], "unexpected extra argument"),
    (["doctor", "now"], "unexpected extra argument"),
    (["demo", "people.csv"], "unexpected extra argument"),
]

VALUES = [
    ([*SYNTHESIZE, "--rows", "ten"], "--rows"),
    ([*SYNTHESIZE, "--rows", "-1"], "--rows"),
    ([*SYNTHESIZE, "--rows", "1.5"], "--rows"),
    ([*SYNTHESIZE, "--rows", ""], "--rows"),
    ([*SYNTHESIZE, "--rows", "99999999999"], "--rows"),
    ([*SYNTHESIZE, "--seed", "-1"], "--seed"),
    ([*SYNTHESIZE, "--seed", "one"], "--seed"),
    ([*SYNTHESIZE, "--seed", str(2**128)], "seed"),
    ([*SYNTHESIZE, "--method", "nonsense"], "'nonsense'"),
    ([*SYNTHESIZE, "--method", ""], "''"),
    ([*SYNTHESIZE, "--method", "../copy"], "'../copy'"),
    ([*SYNTHESIZE, "--method", "Histogram"], "'Histogram'"),
    ([*SYNTHESIZE, "--epsilon", "much"], "--epsilon"),
    ([*SYNTHESIZE, "--epsilon", "0"], "epsilon"),
    ([*SYNTHESIZE, "--epsilon", "-1"], "epsilon"),
    ([*SYNTHESIZE, "--epsilon", "nan"], "epsilon"),
    ([*SYNTHESIZE, "--epsilon", "inf"], "epsilon"),
    ([*SYNTHESIZE, "--epsilon", "1", "--method", "copy"], "private"),
    ([*SYNTHESIZE, "--epsilon", "1", "--delta", "0"], "delta"),
    ([*SYNTHESIZE, "--epsilon", "1e300"], "budget"),
    ([*SYNTHESIZE, "--epsilon", "1", "--method", "gaussian", "--set", "form=paper"], "noisy_moments"),
    ([*SYNTHESIZE, "--epsilon", "1", "--where", "height=3"], "'height'"),
    ([*SYNTHESIZE, "--run", "run"], "budget"),
    ([*SYNTHESIZE, "--epsilon", "1", "--run", "notes.txt"], "notes.txt"),
    ([*SYNTHESIZE, "--method", "gaussian", "--set", "form=ridge"], "'sex'"),
    ([*SYNTHESIZE, "--epsilon", "1", "--delta", "2"], "delta"),
    ([*SYNTHESIZE, "--epsilon", "1", "--delta", "-0.1"], "delta"),
    ([*SYNTHESIZE, "--delta", "1e-9"], "--epsilon"),
    ([*FIT, "--epsilon", "1", "--method", "copy"], "private"),
    ([*FIT, "--epsilon", "two"], "--epsilon"),
    (["schema", "people.csv", "--epsilon", "0"], "epsilon"),
    (["schema", "people.csv", "--delta", "1e-9"], "--epsilon"),
    (["schema", "people.csv", "--epsilon", "1", "--declare"], "--declare"),
    (["schema", "people.csv", "--run", "run"], "--epsilon"),
    (["account", "nonsense"], "nonsense"),
    (["account", "gaussian"], "--noise"),
    (["account", "gaussian", "--noise", "0"], "noise"),
    (["account", "gaussian", "--noise", "nan"], "noise"),
    (["account", "gaussian", "--noise", "1", "--count", "0"], "count"),
    (["account", "gaussian", "--noise", "1", "--delta", "0"], "delta"),
    (["account", "steps", "--noise", "1"], "--rate"),
    (["account", "steps", "--noise", "1", "--rate", "0.1"], "--steps"),
    (["account", "steps", "--noise", "1", "--rate", "2", "--steps", "1"], "rate"),
    (["account", "steps", "--noise", "1", "--rate", "0.1", "--steps", "1", "--batch", "1"], "--batch"),
    (["account", "calibrate"], "--epsilon"),
    (["account", "calibrate", "--epsilon", "0"], "epsilon"),
    (["account", "calibrate", "--epsilon", "1", "--rate", "0"], "rate"),
    (["account", "convert"], "exactly one"),
    (["account", "convert", "--mu", "1", "--rho", "1"], "exactly one"),
    (["account", "convert", "--separation", "0.8"], "separation"),
    (["account", "convert", "--advantage", "1"], "advantage"),
    (["account", "gaussian-synthesis", "--n", "10"], "--d"),
    (["account", "gaussian-synthesis", "--n", "1", "--d", "2", "--sigma", "0.1"], "n >= 2"),
    (["account", "gaussian-synthesis", "--n", "9", "--d", "2", "--sigma", "0"], "sigma"),
    (["account", "gaussian-synthesis", "--n", "9", "--d", "2", "--sigma", "0.1", "--alpha", "1"], "alpha"),
    (["account", "paper-000", "--sigma", "0"], "sigma"),
    (["account", "paper-000", "--separation", "0"], "separation"),
    (["account", "paper-000", "--batch", "9", "--rows", "5"], "rows"),
    ([*SYNTHESIZE, "--delimiter", ""], "delimiter"),
    ([*SYNTHESIZE, "--delimiter", "ab"], "delimiter"),
    ([*SYNTHESIZE, "--delimiter", '"'], "delimiter"),
    ([*SYNTHESIZE, "--delimiter", "1"], "delimiter"),
    ([*SYNTHESIZE, "--encoding", "klingon"], "encoding"),
    ([*SYNTHESIZE, "--encoding", ""], "encoding"),
    (["synthesize", "latin.csv", "-o", "out.csv"], "latin.csv"),
    (["synthesize", "good.parquet", "-o", "out.csv", "--delimiter", ";"], "delimiter"),
    (["synthesize", "good.parquet", "-o", "out.csv", "--missing", "NA"], "missing"),
    ([*SAMPLE[:-1], "many"], "--rows"),
    ([*SAMPLE[:-1], "-5"], "--rows"),
]

SETTINGS = [
    ([*SYNTHESIZE, "--method", "histogram", "--set", text], named)
    for text, named in [
        ("knots", "KEY=VALUE"), ("=5", "setting ''"), ("knots=", "knots"), ("knots=1", "knots"),
        ("knots=many", "knots"), ("knots=1e3", "knots"), ("knots=10.5", "knots"), ("knots=-4", "knots"),
        ("knots=1000001", "knots"), ("knots=--4", "knots"), ("knots=²", "knots"),
        ("Knots=5", "'Knots'"), ("order_levels=true", "'order_levels'"),
        ("sampler=1", "'sampler'"), ("", "KEY=VALUE"),
    ]
] + [
    ([*SYNTHESIZE, "--set", "order_levels=maybe"], "order_levels"),
    ([*SYNTHESIZE, "--set", "knots=5", "--set", "knots=6"], "twice"),
    ([*FIT, "--method", "copy", "--set", "knots=5"], "'knots'"),
    ([*FIT, "--set"], "--set"),
]  # fmt: skip

WHERE = [
    ([*command, "--where", text], named)
    for command in (SYNTHESIZE, SAMPLE)
    for text, named in [
        ("", "COLUMN=VALUE"), ("sex", "COLUMN=VALUE"), ("=F", "''"), ("height=3", "'height'"),
        ("Sex=F", "'Sex'"),
        ("sex=X", "'sex'"), ("sex=F|X", "'sex'"), ("sex=A..F", "'sex'"), ("age=old", "'age'"),
        ("age=40..30", "'age'"),
        ("age=30..old", "'age'"), ("age=30|40", "'age'"), ("age=nan", "'age'"), ("age=1..2..3", "'age'"),
        ("age=1e999", "'age'"), ("grade=9", "'grade'"), ("grade=1..9", "'grade'"),
        ("joined=yesterday", "'joined'"),
        ("joined=2024-13-01", "'joined'"), ("joined=2025-01-01..2024-01-01", "'joined'"),
        ("member=maybe", "'member'"),
        ("a=b", "'a'"), ("a=b=q", "'a=b'"), ("id=P0001", "'id'"), ("age=5000..6000", "'age'"),
        ("age=", "'age'"),
    ]
] + [([*SYNTHESIZE, "--where", "sex=F", "--where", "sex=M"], "twice")]  # fmt: skip

FILES = [
    (["synthesize", "absent.csv", "-o", "out.csv"], "'absent.csv'"),
    (["synthesize", "", "-o", "out.csv"], "folder"),
    (["synthesize", "a\0b.csv", "-o", "out.csv"], "read"),
    (["synthesize", "some", "-o", "out.csv"], "folder"),
    (["synthesize", "notes.txt", "-o", "out.csv"], "'notes.txt'"),
    (["synthesize", "empty.csv", "-o", "out.csv"], "'empty.csv'"),
    (["synthesize", "ragged.csv", "-o", "out.csv"], "line 3"),
    (["synthesize", "twice.csv", "-o", "out.csv"], "column"),
    (["synthesize", "fake.parquet", "-o", "out.csv"], "fake.parquet"),
    (["synthesize", "fake.arrow", "-o", "out.csv"], "fake.arrow"),
    (["synthesize", "fake.csv.gz", "-o", "out.csv"], "gz"),
    (["synthesize", "text.csv", "-o", "out.csv"], "'story'"),
    (["synthesize", "norows.csv", "-o", "out.csv"], "at least 1 row"),
    (["synthesize", "oracle://x/y?table=t", "-o", "out.csv"], "oracle"),
    (["synthesize", "sqlite:///absent.db?table=t", "-o", "out.csv"], "sql"),
    (["synthesize", "people.csv", "-o", "out"], "'out'"),
    (["synthesize", "people.csv", "-o", "out.xlsx"], "'out.xlsx'"),
    (["synthesize", "people.csv", "-o", ""], "output"),
    (["synthesize", "people.csv", "-o", "absent/out.csv"], "'absent'"),
    (["synthesize", "people.csv", "-o", "folder.csv"], "folder"),
    (["synthesize", "people.csv", "-o", "people.csv"], "'people.csv'"),
    (["synthesize", "people.csv", "-o", "people.csv", "--force"], "'people.csv'"),
    (["synthesize", "people.csv", "-o", "latin.csv"], "'latin.csv'"),
    (["synthesize", "people.csv", "-o", "notes.txt/out.csv"], "'notes.txt'"),
    (["fit", "people.csv", "-o", "notes.txt"], "'notes.txt'"),
    (["fit", "people.csv", "-o", "some"], "'some'"),
    (["fit", "absent.csv", "-o", "out"], "'absent.csv'"),
    (["fit", "people.csv", "-o", "."], "'.'"),
    (["sample", "absent", "-o", "out.csv", "--rows", "5"], "'absent'"),
    (["sample", "people.csv", "-o", "out.csv", "--rows", "5"], "'people.csv'"),
    (["sample", "some", "-o", "out.csv", "--rows", "5"], "'some'"),
    (["sample", "broken", "-o", "out.csv", "--rows", "5"], "model"),
    (["sample", "model", "-o", "out.txt", "--rows", "5"], "'out.txt'"),
    (["sample", "model", "-o", "model/model.json", "--rows", "5"], "'model.json'"),
    (["schema", "absent.csv"], "'absent.csv'"),
    (["schema", "people.csv", "-o", "people.csv"], "'people.csv'"),
    (["schema", "people.csv", "-o", "notes.txt"], "'notes.txt'"),
    (["schema", "people.csv", "-o", "absent/s.json"], "'absent'"),
    (["verify", "absent"], "'absent'"),
    (["verify", "people.csv"], "'people.csv'"),
    (["verify", "some"], "'some'"),
    (["demo", "-o", "notes.txt"], "'notes.txt'"),
    (["demo", "-o", "some"], "'some'"),
]

SCHEMAS = [
    ([*SYNTHESIZE, "--schema", name], named)
    for name, named in [
        ("absent.json", "absent.json"), ("some", "some"), ("people.csv", "JSON"), ("empty.json", "JSON"),
        ("list.json", "list.json"), ("nocolumns.json", "columns"), ("newer.json", "newer"),
        ("kind.json", "kind"),
        ("lacks.json", "'height'"), ("twice.json", "same name"), ("extra.json", "colour"),
        ("type.json", "type"),
        ("bounds.json", "low"), ("levels.json", "'sex'"), ("partial.json", "does not name"),
        ("text.json", "'sex'"),
    ]
]  # fmt: skip

CASES = [*FLAGS, *VALUES, *SETTINGS, *WHERE, *FILES, *SCHEMAS]


def lay_out(folder):
    """Write the files that the cases name."""
    (folder / "people.csv").write_text(table_text(), encoding="utf-8")
    (folder / "some").mkdir()
    (folder / "some" / "precious.txt").write_text("mine")
    (folder / "folder.csv").mkdir()
    (folder / "broken").mkdir()
    (folder / "broken" / "model.json").write_text("{}")
    for name, content in _files().items():
        (folder / name).write_bytes(content)
    for name, tree in _schemas().items():
        (folder / name).write_text(json.dumps(tree))


def _files():
    story = "".join(f"it was the story number {row} of them all,{row}\n" for row in range(40))
    return {
        "latin.csv": "name,n\nJosé,1\nAna,2\n".encode("latin-1"),
        "notes.txt": b"mine",
        "empty.csv": b"",
        "empty.json": b"",
        "ragged.csv": b"a,b\n1,2\n3\n",
        "twice.csv": b"a,a\n1,2\n",
        "fake.parquet": b"this is no parquet file",
        "fake.arrow": b"this is no arrow file",
        "fake.csv.gz": b"\x1f\x8bthis is no gzip file",
        "norows.csv": b"a,b\n",
        "text.csv": b"story,n\n" + story.encode(),
    }


def _ignored(*kept):
    names = [name for name in table_text().split("\n")[0].split(",") if name not in kept]
    return [{"name": name, "kind": "ignore"} for name in names]


def _schemas():
    age, sex = {"name": "age", "kind": "numerical"}, {"name": "sex", "kind": "categorical"}
    return {
        "list.json": [age],
        "nocolumns.json": {"columns": []},
        "newer.json": {"format": 99, "columns": [age]},
        "kind.json": {"columns": [{"name": "age", "kind": "numeric"}]},
        "lacks.json": {"columns": [{"name": "height", "kind": "numerical"}]},
        "twice.json": {"columns": [age, age]},
        "extra.json": {"columns": [{**age, "colour": "red"}]},
        "type.json": {"columns": [{**age, "type": "int65"}]},
        "bounds.json": {"columns": [{**age, "bounds": {"low": 9, "high": 1}}]},
        "levels.json": {"columns": [{**sex, "levels": {"values": ["F"]}}, *_ignored("sex")]},
        "partial.json": {"columns": [age]},
        "text.json": {"columns": [{"name": "sex", "kind": "text"}, *_ignored("sex")]},
    }
