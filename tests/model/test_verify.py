import json
import sqlite3

import pyarrow as pa
import pytest

from understudy import synth
from understudy.errors import InputError
from understudy.model.verify import verify
from understudy.privacy import Budget, Certificate, accounting, certificate_json
from understudy.privacy.entry import entry_from_dict
from understudy.table.release import release
from understudy.table.table import Table


@pytest.fixture
def folder(tmp_path):
    """A folder with a released table and, below it, a model."""
    model = synth.get("histogram")().fit(pa.table({"a": range(30), "b": ["x", "y", "z"] * 10}))
    model.save(tmp_path / "model")
    release(model.sample_table(5), tmp_path / "x.csv", model.certificate)
    return tmp_path


def failed(path):
    return [
        (check.path.rpartition("/")[2], check.what) for check in verify(path, synth.load) if not check.good
    ]


def edit(path, change):
    tree = json.loads(path.read_text())
    change(tree)
    path.write_text(json.dumps(tree))


def test_what_was_written_passes_every_check(folder):
    checks = verify(folder, synth.load)
    assert all(check.good for check in checks)
    assert {"x.csv", "x.certificate.json", "model.json", "tensors.safetensors"} <= {
        check.path.rpartition("/")[2] for check in checks
    }


def test_an_altered_table_fails_by_its_hash(folder):
    (folder / "x.csv").write_text("a,b\n1,x\n")
    assert failed(folder) == [("x.csv", "SHA-256")]


def test_a_table_that_is_gone_fails(folder):
    (folder / "x.csv").unlink()
    assert failed(folder / "x.certificate.json") == [("x.csv", "SHA-256")]


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: tree["figures"].update(epsilon=0.5),
        lambda tree: tree["figures"].update(separation=0.0),
        lambda tree: tree.pop("figures"),
        lambda tree: tree.update(status="sound"),
        lambda tree: tree.update(entries=[], status="sound"),
        lambda tree: tree["entries"].pop(),
        lambda tree: tree["entries"][0].update(what="nothing much"),
        lambda tree: tree["entries"][0].update(mechanism="laplace"),
        lambda tree: tree.update(verdict="safe"),
        lambda tree: tree.update(format=99),
        lambda tree: tree.update(format="1"),
        lambda tree: tree.update(artefacts={}),
        lambda tree: tree.update(artefacts={"../x.csv": "0"}),
        lambda tree: tree.update(artefacts={"x.csv": "0" * 64}),
        lambda tree: tree.clear(),
    ],
)
def test_a_certificate_that_was_edited_fails(folder, change):
    edit(folder / "x.certificate.json", change)
    assert failed(folder / "x.certificate.json")


@pytest.mark.parametrize("content", [b"", b"[]", b"null", b"\xff", b"{" * 10_000])
def test_a_file_that_is_no_certificate_fails(folder, content):
    (folder / "x.certificate.json").write_bytes(content)
    assert failed(folder) == [("x.certificate.json", "entries and status")]


@pytest.mark.parametrize("part", ["certificate.json", "schema.json", "tensors.safetensors"])
def test_a_part_of_a_model_that_was_exchanged_is_named(folder, part):
    path = folder / "model" / part
    path.write_bytes(path.read_bytes().replace(b"b", b"c", 1) + b"\n")
    assert (part, "SHA-256") in failed(folder / "model")


def test_a_model_without_its_manifest_is_an_altered_model(folder):
    (folder / "model" / "model.json").unlink()
    assert ("model.json", "complete and unaltered") in failed(folder)


def test_a_manifest_that_was_edited_fails(folder):
    edit(folder / "model" / "model.json", lambda tree: tree.update(recipe="gaussian_copula"))
    assert ("model.json", "complete and unaltered") in failed(folder)


@pytest.mark.parametrize("name", ["absent", "x.csv", "empty"])
def test_nothing_to_check_is_an_error_of_its_own(folder, name):
    (folder / "empty").mkdir()
    with pytest.raises(InputError, match="verify: "):
        verify(folder / name, synth.load)


def test_everything_below_a_folder_is_checked(folder):
    (folder / "deep" / "deeper").mkdir(parents=True)
    (folder / "model").rename(folder / "deep" / "deeper" / "model")
    (folder / "deep" / "deeper" / "model" / "schema.json").write_text("{}")
    assert ("schema.json", "SHA-256") in failed(folder)


def test_hidden_folders_are_not_looked_into(folder):
    (folder / "model").rename(folder / ".model")
    assert not any(".model" in check.path for check in verify(folder, synth.load))


def test_a_table_without_rows_is_released_and_checked(tmp_path):
    model = synth.get("histogram")().fit(pa.table({"a": [1, 2, 3]}))
    release(Table(pa.table({"a": pa.array([], pa.int64())})), tmp_path / "x.parquet", model.certificate)
    assert failed(tmp_path) == []


BUDGET = Budget(epsilon=1.0, delta=1e-6)


@pytest.fixture
def private(tmp_path):
    """A run folder with its ledger, and the model that was fitted in it."""
    table = pa.table({"a": list(range(40)) * 5, "b": ["x", "y"] * 100})
    run = tmp_path / "run"
    synth.get("histogram")().fit(table, budget=BUDGET, run=run).save(run / "model")
    return run


def test_a_private_fit_passes_and_a_second_accountant_agrees_with_its_figures(private):
    checks = verify(private, synth.load)
    assert all(check.good for check in checks), [check for check in checks if not check.good]
    found = {(check.path.rpartition("/")[2], check.what) for check in checks}
    assert {
        ("ledger.sqlite", "chain and head"),
        ("certificate.json", "its entries are in the ledger"),
        ("certificate.json", "figures"),
    } <= found


def test_a_figure_that_no_second_accountant_can_confirm_fails(private, monkeypatch):
    # As if the first accountant were wrong, on the machine that wrote the file and on this one.
    right = accounting.Curve.mu
    monkeypatch.setattr(accounting._Best, "epsilon", lambda *_: 0.1)
    monkeypatch.setattr(accounting._Loss, "epsilon", lambda *_: 0.1)
    monkeypatch.setattr(
        certificate_json, "_figures", certificate_json._figures.__wrapped__
    )  # nothing is kept
    certificate = Certificate.from_json(edited(private / "model" / "certificate.json", 0.1))
    path = private / "stand-in.certificate.json"
    path.write_text(certificate.to_json())
    assert ("stand-in.certificate.json", "figures") in failed(path)
    assert accounting.Curve.mu is right


def edited(path, epsilon):
    """Return a certificate whose figures were all computed by an accountant that is wrong."""
    from understudy.privacy.certificate_json import _seal, figures

    tree = json.loads(path.read_text())
    entries = tuple(entry_from_dict(entry) for entry in tree["entries"])
    tree["figures"] = figures(Certificate(entries))
    assert tree["figures"]["epsilon at delta 1e-9"] == epsilon
    tree["seal"] = _seal({name: part for name, part in tree.items() if name != "seal"})
    return json.dumps(tree)


def test_a_ledger_that_was_put_back_or_edited_fails(private):
    base = sqlite3.connect(private / "ledger.sqlite")
    base.execute("DELETE FROM entries WHERE id = (SELECT max(id) FROM entries)")
    base.commit()
    base.close()
    assert ("ledger.sqlite", "chain and head") in failed(private)
    (private / "ledger.head").unlink()
    assert ("certificate.json", "its entries are in the ledger") in failed(private)
