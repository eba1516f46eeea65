import json

import pytest

from model.test_verify_audit import write
from report.whole_dossier import dossier


def test_what_was_just_written_is_true(call, model):
    call("sample", model, "-o", "out.csv", "--rows", "3")
    for path in (model, "out.certificate.json", "."):
        done = call("verify", path)
        assert (done.code, done.err) == (0, ""), done.out
        assert "FAILED" not in done.out


def test_an_altered_table_is_found(call, folder, model):
    call("sample", model, "-o", "out.csv", "--rows", "3")
    with (folder / "out.csv").open("a") as file:
        file.write("1\n")
    done = call("verify", "out.certificate.json")
    assert done.code == 1
    assert "FAILED" in done.out
    assert "altered" in done.out


@pytest.mark.parametrize("part", ["model.json", "schema.json", "certificate.json", "tensors.safetensors"])
@pytest.mark.parametrize("gone", [True, False])
def test_every_part_of_a_model_counts(call, model, part, gone):
    if gone:
        (model / part).unlink()
    else:
        (model / part).write_bytes((model / part).read_bytes() + b" ")
    done = call("verify", model)
    assert done.code == 1
    assert part in done.out


def test_json_lists_every_check(call, model):
    done = call("verify", model, "--json")
    assert done.json["verified"] is True
    assert {check["good"] for check in done.json["checks"]} == {True}


def test_json_is_one_object_when_a_check_fails_too(call, folder, model):
    call("sample", model, "-o", "out.csv", "--rows", "3")
    tree = json.loads((folder / "out.certificate.json").read_text())
    tree["figures"]["epsilon"] = 1.0
    (folder / "out.certificate.json").write_text(json.dumps(tree))
    done = call("verify", "out.certificate.json", "--json")
    assert done.code == 1
    assert done.json["verified"] is False
    assert any("figures" in check["found"] for check in done.json["checks"])


def test_an_altered_page_of_an_audit_is_found(call, folder):
    audit = write(folder / "audit", dossier())
    done = call("verify", "audit")
    assert (done.code, done.err) == (0, ""), done.out
    (audit / "share.html").write_text("<p>all is well")
    done = call("verify", "audit")
    assert done.code == 1
    assert "share.html" in done.out and "altered" in done.out
