import json

import pytest

import understudy as us


def test_every_column_has_its_line_and_no_value_is_shown(call):
    done = call("schema", "people.csv")
    assert (done.code, done.err) == (0, "")
    lines = {line.split()[0]: line for line in done.out.splitlines() if line.strip()}
    assert "numerical" in lines["age"]
    assert "3 levels" in lines["a=b"]
    assert "16.7%" in lines["income"] or "15.0%" in lines["income"]
    assert "x|y" not in done.out
    assert "2024" not in done.out


def test_observed_parts_come_with_a_warning(call):
    assert "as private as the rows are" in call("schema", "people.csv").out.replace("\n", " ")


def test_a_written_schema_loads_and_stays_observed(call, folder):
    assert call("schema", "people.csv", "-o", "s.json").code == 0
    assert us.Schema.load(folder / "s.json") == us.Schema.infer(us.read(folder / "people.csv"))


def test_a_table_without_rows_is_not_called_declared(call, folder):
    (folder / "empty.csv").write_text("a,b\n")
    done = call("schema", "empty.csv")
    assert done.code == 0
    assert "names and kinds alone" in done.out
    assert "declared" not in done.out


def test_declare_marks_everything_and_says_so(call, folder):
    done = call("schema", "people.csv", "-o", "s.json", "--declare")
    assert us.Schema.load(folder / "s.json").observed() == []
    assert "public knowledge" in done.out


def test_json_describes_the_columns_without_their_values(call):
    done = call("schema", "people.csv", "--json")
    assert [column["column"] for column in done.json["columns"]][:3] == ["id", "age", "sex"]
    assert done.json["observed"] == 8
    assert "x|y" not in done.out


def test_the_published_json_schema_is_one_json_object(call):
    done = call("schema", "--json-schema")
    assert done.json == us.Schema.model_json_schema()


def test_a_schema_that_somebody_may_have_edited_is_kept(call, folder):
    call("schema", "people.csv", "-o", "s.json")
    before = (folder / "s.json").read_text()
    refused = call("schema", "people.csv", "-o", "s.json", "--declare")
    assert refused.code == 2
    assert (folder / "s.json").read_text() == before
    assert call("schema", "people.csv", "-o", "s.json", "--declare", "--force").code == 0


def test_an_edited_schema_makes_the_certificate_say_what_was_declared(call, folder):
    call("schema", "people.csv", "-o", "s.json", "--declare")
    call("fit", "people.csv", "-o", "model", "--schema", "s.json")
    tree = json.loads((folder / "model" / "certificate.json").read_text())
    assert all(entry["phase"] != "schema" for entry in tree["entries"])


def test_a_schema_is_bought_with_its_certificate(call, folder):
    done = call("schema", "people.csv", "--epsilon", "1", "--delta", "1e-6", "-o", "s.json")
    assert (done.code, done.err) == (0, "")
    found = us.Schema.load(folder / "s.json")
    sources = {source for column in found.columns for _, source in column.sources()}
    assert "bought" in sources and found.observed() == []
    assert "largest true-positive rate at 1 % false positives" in done.out
    assert "largest advantage" in done.out
    assert call("verify", "s.json.certificate.json").code == 0
    certificate = us.Certificate.from_json((folder / "s.json.certificate.json").read_bytes())
    assert certificate.sound and certificate.epsilon(1e-6) <= 1.0


def test_a_bought_schema_can_be_given_to_a_private_fit(call):
    call("schema", "people.csv", "--epsilon", "1", "-o", "s.json")
    done = call("fit", "people.csv", "-o", "model", "--schema", "s.json", "--epsilon", "1", "--json")
    assert done.code == 0
    assert done.json["status"] == "sound"


def test_purchases_of_one_run_folder_add_up_to_its_budget(call):
    assert call("schema", "people.csv", "--epsilon", "0.5", "--run", "run").code == 0
    again = call("schema", "people.csv", "--epsilon", "0.5", "--run", "run")
    assert again.code == 2
    assert "budget" in again.err


def test_a_bought_schema_is_not_printed_with_its_values(call):
    done = call("schema", "people.csv", "--epsilon", "1", "--json")
    assert done.json["status"] == "sound" and done.json["observed"] == 0
    assert done.json["epsilon"] <= 1.0
    assert "id" in done.json["no_level_told"]
    assert "x|y" not in done.out


@pytest.mark.parametrize(
    "words",
    [
        ["--epsilon", "0"],
        ["--epsilon", "-1"],
        ["--epsilon", "nan"],
        ["--epsilon", "inf"],
        ["--delta", "1e-9"],
        ["--epsilon", "1", "--delta", "1"],
        ["--epsilon", "1", "--declare"],
        ["--run", "run"],
    ],
)
def test_an_odd_budget_for_a_schema_is_refused(call, folder, words):
    refused = call("schema", "people.csv", *words)
    assert refused.code == 2
    assert sorted(path.name for path in folder.iterdir()) == ["people.csv"]


def test_control_characters_in_names_are_spelled_out(call, folder):
    (folder / "evil.csv").write_text("a\x1b[31m,b\n1,2\n3,4\n")
    done = call("schema", "evil.csv")
    assert "\x1b" not in done.out + done.err
    assert "\\x1b[31m" in done.out + done.err


def test_one_level_is_one_level_and_a_folder_has_its_name(call, folder):
    (folder / "one.csv").write_text("a,b\nx,1\nx,\nx,2\n")
    assert " 1 levels" not in call("schema", "one.csv").out
    assert "the ending of '.' names no format" in call("synthesize", "people.csv", "-o", ".").err


def test_a_wrong_schema_file_is_told_in_words_of_ours(call, folder):
    for text, said in (
        ('{"columns": []}', "columns: this must not be empty"),
        ('{"columns": [{"name": "a", "kind": "id", "colour": 1}]}', "colour: there is no such part"),
        ('{"columns": [{"name": "a"}]}', "this part is needed"),
    ):
        (folder / "s.json").write_text(text)
        assert said in call("synthesize", "people.csv", "-o", "o.csv", "--schema", "s.json").err


def test_one_column_is_said_in_the_singular(call, folder):
    (folder / "one.csv").write_text("x\n" + "".join(f"{row}.5\n" for row in range(30)))
    done = call("schema", "one.csv", "-o", "s.json")
    assert "s.json: 1 column\n" in done.out and "of 1 column are observed" in done.out
