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


@pytest.mark.parametrize("words", [["--epsilon", "1"], ["--epsilon", "-1"]])
def test_a_domain_cannot_be_bought_yet(call, words):
    refused = call("schema", "people.csv", *words)
    assert refused.code == 2
    assert "cannot be bought" in refused.err


def test_control_characters_in_names_are_spelled_out(call, folder):
    (folder / "evil.csv").write_text("a\x1b[31m,b\n1,2\n3,4\n")
    done = call("schema", "evil.csv")
    assert "\x1b" not in done.out + done.err
    assert "\\x1b[31m" in done.out + done.err
