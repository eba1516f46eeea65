import hashlib
import json
import os
import shlex

import pytest

import understudy as us

HISTOGRAM, GAUSSIAN = ["--method", "histogram"], ["--method", "gaussian"]


def test_a_stand_in_and_its_certificate_appear_side_by_side(call, folder):
    done = call("synthesize", "people.csv", "-o", "out.csv")
    assert (done.code, done.err) == (0, "")
    real, fake = us.read(folder / "people.csv"), us.read(folder / "out.csv")
    assert fake.names == real.names
    assert len(fake) == len(real)
    assert fake.to_arrow().schema.types == real.to_arrow().schema.types
    assert sorted(os.listdir(folder)) == ["out.certificate.json", "out.csv", "people.csv"]


def test_the_certificate_names_the_file_by_its_hash(call, folder):
    call("synthesize", "people.csv", "-o", "out.csv")
    certificate = us.Certificate.from_json((folder / "out.certificate.json").read_bytes())
    assert certificate.artefacts == {"out.csv": hashlib.sha256((folder / "out.csv").read_bytes()).hexdigest()}


def test_the_choice_of_a_method_is_printed_with_its_reason(call):
    done = call("synthesize", "people.csv", "-o", "out.csv")
    name, reason = us.synth.choose(60, 8, None)
    assert f"{name}: {reason}" in done.out


def test_the_meaning_of_the_certificate_is_said_in_plain_words(call):
    assert (
        "no privacy guarantee: rows were read as they are"
        in call("synthesize", "people.csv", "-o", "o.csv").out
    )


def test_json_is_one_object_with_everything_in_it(call):
    done = call(
        "synthesize", "people.csv", "-o", "out.parquet", "--method", "histogram", "--rows", "7", "--json"
    )
    assert done.code == 0
    assert done.json["rows"] == 7
    assert done.json["output"] == "out.parquet"
    assert done.json["certificate"] == "out.certificate.json"
    assert done.json["method"] == "histogram"
    assert done.json["reason"] is None
    assert done.json["status"] == "none"
    assert done.json["settings"] == {"knots": 1000}


def test_settings_reach_the_recipe(call):
    done = call(
        "synthesize", "people.csv", "-o", "o.csv", "--method", "histogram", "--set", "knots=5", "--json"
    )
    assert done.json["settings"] == {"knots": 5}


def test_settings_reach_a_recipe_that_was_chosen(call):
    done = call("synthesize", "people.csv", "-o", "o.csv", "--set", "order_levels=false", "--json")
    assert done.json["settings"]["order_levels"] is False


def test_conditions_hold_in_every_row(call, folder):
    words = ["--where", "sex=F", "--where", "age=30..40", "--where", "a=b=x|y", "--where", "income="]
    done = call("synthesize", "people.csv", "-o", "out.parquet", "--rows", "20", *words)
    assert (done.code, done.err) == (0, "")
    rows = us.read(folder / "out.parquet").to_arrow().to_pydict()
    assert set(rows["sex"]) == {"F"}
    assert all(30 <= age <= 40 for age in rows["age"])
    assert set(rows["a=b"]) == {"x|y"}
    assert set(rows["income"]) == {None}


def test_a_condition_leaves_the_certificate_as_it_is(call, folder):
    call("synthesize", "people.csv", "-o", "plain.csv", "--method", "histogram")
    call("synthesize", "people.csv", "-o", "asked.csv", "--method", "histogram", "--where", "sex=F")
    read = lambda name: us.Certificate.from_json((folder / name).read_bytes()).entries
    assert read("plain.certificate.json") == read("asked.certificate.json")


def test_the_same_seed_gives_the_same_bytes_and_another_gives_others(call, folder):
    for name, seed in (("a.csv", 3), ("b.csv", 3), ("c.csv", 4)):
        call("synthesize", "people.csv", "-o", name, "--seed", seed)
    a, b, c = ((folder / name).read_bytes() for name in ("a.csv", "b.csv", "c.csv"))
    assert a == b != c


def test_a_schema_file_is_followed(call, folder):
    call("schema", "people.csv", "-o", "s.json")
    tree = json.loads((folder / "s.json").read_text())
    kept = {"age", "sex"}
    tree["columns"] = [
        c if c["name"] in kept else {"name": c["name"], "kind": "ignore"} for c in tree["columns"]
    ]
    (folder / "s.json").write_text(json.dumps(tree))
    assert call("synthesize", "people.csv", "-o", "out.csv", "--schema", "s.json").code == 0
    assert us.read(folder / "out.csv").names == ["age", "sex"]


def test_csv_settings_reach_the_reader(call, folder):
    (folder / "odd.csv").write_bytes("naïve;n\nä;NA\nö;2\n".encode("latin-1"))
    words = ["--delimiter", ";", "--encoding", "latin-1", "--missing", "NA"]
    assert call("synthesize", "odd.csv", "-o", "out.parquet", *words).code == 0
    assert us.read(folder / "out.parquet").names == ["naïve", "n"]


def test_a_tab_can_be_typed_as_backslash_t(call, folder):
    (folder / "odd.csv").write_text("a\tb\n1\t2\n3\t4\n")
    assert call("synthesize", "odd.csv", "-o", "out.csv", "--delimiter", "\\t").code == 0
    assert us.read(folder / "out.csv").names == ["a", "b"]


@pytest.mark.parametrize(("flags", "cell"), [([], "'=1+1"), (["--raw-csv"], "=1+1")])
def test_formulas_are_guarded_unless_raw_csv_is_asked_for(call, folder, flags, cell):
    (folder / "sheet.csv").write_text("formula,n\n=1+1,2\n=1+1,3\n")
    assert call("synthesize", "sheet.csv", "-o", "out.csv", *flags).code == 0
    assert (folder / "out.csv").read_text().splitlines()[1].startswith(cell + ",")


def test_no_rows_at_all_can_be_asked_for(call, folder):
    assert call("synthesize", "people.csv", "-o", "out.csv", "--rows", "0").code == 0
    assert len((folder / "out.csv").read_text().splitlines()) == 1


def test_an_earlier_stand_in_is_replaced(call, folder):
    call("synthesize", "people.csv", "-o", "out.csv", "--rows", "3")
    assert call("synthesize", "people.csv", "-o", "out.csv", "--rows", "4").code == 0
    assert len(us.read(folder / "out.csv")) == 4
    assert call("verify", "out.certificate.json").code == 0


def test_a_file_of_somebody_else_is_replaced_only_by_force(call, folder):
    (folder / "mine.csv").write_text("precious\n")
    refused = call("synthesize", "people.csv", "-o", "mine.csv")
    assert refused.code == 2
    assert "--force" in refused.err
    assert (folder / "mine.csv").read_text() == "precious\n"
    assert call("synthesize", "people.csv", "-o", "mine.csv", "--force").code == 0


@pytest.mark.parametrize("flags", [[], ["--force"]])
@pytest.mark.parametrize("name", ["people.csv", "./people.csv", "link.csv", "hard.csv"])
def test_the_data_is_never_written_over(call, folder, name, flags):
    (folder / "link.csv").symlink_to("people.csv")
    os.link("people.csv", "hard.csv")
    before = (folder / "people.csv").read_bytes()
    refused = call("synthesize", "people.csv", "-o", name, *flags)
    assert refused.code == 2
    assert "one of the files to be read" in refused.err
    assert (folder / "people.csv").read_bytes() == before


def test_a_password_in_a_url_is_not_printed(call):
    said = call("synthesize", "postgresql://me:hunter2@127.0.0.1:1/db?table=t", "-o", "out.csv")
    assert said.code == 2
    assert "hunter2" not in said.out + said.err


def test_a_database_is_a_source_too(call, folder):
    import sqlite3

    connection = sqlite3.connect(folder / "x.db")
    connection.execute("CREATE TABLE t (age INTEGER, sex TEXT)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(row, "FM"[row % 2]) for row in range(30)])
    connection.commit()
    connection.close()
    done = call("synthesize", "sqlite:///x.db?table=t", "-o", "out.csv")
    assert (done.code, done.err) == (0, "")
    assert "sqlite://..." in done.out
    assert len(us.read(folder / "out.csv")) == 30


def test_within_a_budget_the_table_is_private_end_to_end(call, folder):
    done = call("synthesize", "people.csv", "-o", "out.csv", "--epsilon", "1", "--delta", "1e-6")
    assert (done.code, done.err) == (0, "")
    certificate = us.Certificate.from_json((folder / "out.certificate.json").read_bytes())
    assert certificate.sound and 0.9 < certificate.epsilon(1e-6) <= 1.0
    assert "aim: 8 columns (4 of words or flags)" in done.out
    assert "largest true-positive rate at 1 % false positives" in done.out
    assert "largest advantage of a membership attacker" in done.out
    assert us.read(folder / "out.csv").names == us.read(folder / "people.csv").names
    assert call("verify", "out.certificate.json").code == 0


def test_within_a_budget_the_number_of_rows_is_not_that_of_the_table(call, folder):
    sizes = set()
    for number in range(4):
        out = f"o{number}.csv"
        done = call("synthesize", "people.csv", "-o", out, *HISTOGRAM, "--epsilon", "0.5", "--json")
        assert done.json["rows"] == len(us.read(folder / out))
        sizes.add(done.json["rows"])
    assert len(sizes) > 1, "four noisy counts were all the same"


def test_within_a_budget_nothing_printed_tells_the_number_of_rows(call):
    done = call("synthesize", "people.csv", "-o", "o.csv", "--epsilon", "1", "--rows", "5")
    assert done.out.splitlines()[0].endswith("people.csv: 8 columns")
    assert "60 rows" not in done.out


def test_json_within_a_budget_holds_the_figures(call):
    words = ["--epsilon", "1", "--delta", "1e-6", "--rows", "5", "--json"]
    done = call("synthesize", "people.csv", "-o", "o.csv", *words)
    assert done.json["status"] == "sound"
    assert done.json["epsilon"] <= 1.0 and done.json["delta"] == 1e-6
    assert 0.01 < done.json["tpr_at_fpr_0.01"] < 0.03
    assert 0 < done.json["advantage"] < 0.2


def test_the_command_that_audits_the_stand_in_is_printed_with_how_it_was_made(call):
    words = ["synthesize", "people.csv", "-o", "my out.csv", *HISTOGRAM, "--set", "knots=5", "--rows", "5"]
    tables = "--train people.csv --synthetic 'my out.csv'"
    wanted = f"understudy audit {tables} --method histogram --set knots=5 -o audit/"
    assert wanted in " ".join(call(*words).out.split())
    assert call(*words, "--force", "--json").json["audit"] == wanted


def test_no_audit_is_proposed_that_would_judge_a_part_of_the_table(call):
    odd = ["synthesize", "people.csv", "-o", "o.csv", *HISTOGRAM, "--rows", "5", "--where", "sex=F"]
    assert call(*odd, "--json").json["audit"] is None
    assert "understudy audit" not in call(*odd, "--force").out


def test_the_audit_of_a_csv_file_with_ways_of_its_own_reads_it_the_same_way(call, folder):
    text = (folder / "people.csv").read_text(encoding="utf-8").replace(",", ";").replace("F;", "NA;")
    (folder / "people.csv").write_text(text, encoding="latin-1")
    odd = ["--delimiter", ";", "--encoding", "latin-1", "--missing", "NA"]
    words = ["synthesize", "people.csv", "-o", "o.csv", *HISTOGRAM, *odd, "--json"]
    audit = call(*words).json["audit"]
    assert audit.endswith("--delimiter ';' --encoding latin-1 --missing NA -o audit/")
    judged = [*shlex.split(audit)[1:], "--level", "quick", "--workers", "0"]
    assert call(*judged, "--json").code in {0, 3}


def test_the_audit_of_a_database_can_be_pasted_unless_its_url_may_hold_a_password(call, folder):
    import sqlite3

    with sqlite3.connect(folder / "my x.db") as connection:
        connection.execute("CREATE TABLE t (age INTEGER, sex TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(row, "FM"[row % 2]) for row in range(30)])
    connection.close()
    words = ["synthesize", "sqlite:///my x.db?table=t", "-o", "out.csv", *HISTOGRAM, "--json"]
    audit = shlex.split(call(*words).json["audit"])
    assert audit[:4] == ["understudy", "audit", "--train", "sqlite:///my x.db?table=t"]
    assert call(*audit[1:], "--level", "quick", "--workers", "0").code in {0, 3}


def test_a_column_that_comes_out_as_one_word_is_named(call):
    words = ["synthesize", "people.csv", "-o", "o.csv", *HISTOGRAM, "--epsilon", "1", "--rows", "5"]
    said = " ".join(call(*words).out.split())
    assert "id: no value was common enough to be told within the budget" in said
    assert "id" in call(*words, "--force", "--json").json["no_level_told"]


def test_conditions_work_within_a_budget(call, folder):
    words = ["--epsilon", "5", "--delta", "1e-3", "--where", "member=True", "--where", "age=..40"]
    assert call("synthesize", "people.csv", "-o", "o.parquet", *words, "--rows", "20").code == 0
    assert set(us.read(folder / "o.parquet").to_arrow().column("member").to_pylist()) == {True}


def test_a_run_folder_keeps_the_ledger_and_refuses_to_be_spent_twice(call, folder):
    words = ["synthesize", "people.csv", "-o", "o.csv", "--epsilon", "1", "--run", "run"]
    assert call(*words).code == 0
    assert (folder / "run" / "ledger.sqlite").exists()
    again = call(*words)
    assert again.code == 2
    assert "budget" in again.err


def test_draws_that_cost_are_as_many_as_were_declared(call, folder):
    column = {"name": "x", "kind": "numerical", "type": "double", "resolution": 0.1}
    column |= {"bounds": {"low": 0, "high": 600}, "missing": {"rate": 0}}
    (folder / "s.json").write_text(json.dumps({"columns": [column]}))
    (folder / "x.csv").write_text("x\n" + "".join(f"{row / 10}\n" for row in range(5_000)))
    settings = ("form=ridge", "sigma=0.5", "rows=40", "at_least=5000")
    words = [word for setting in settings for word in ("--set", setting)]
    done = call("synthesize", "x.csv", "-o", "o.csv", "--schema", "s.json", *GAUSSIAN, *words, "--json")
    assert (done.code, done.json["rows"], done.json["status"]) == (0, 40, "sound")
