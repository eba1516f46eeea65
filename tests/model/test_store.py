"""A model folder is read whole and unaltered, or not at all."""

import json
import os
import shutil
import stat
import sys

import numpy as np
import pyarrow as pa
import pytest
from safetensors.numpy import load as read_tensors, save as write_tensors

import understudy as us
from killing import killed_at_every_call
from understudy.errors import CorruptModel, VersionError, WriteError
from understudy.model import store
from understudy.synth.copy import Copy
from understudy.synth.gaussian_copula import GaussianCopula
from understudy.synth.histogram import Histogram
from understudy.table import folder_swap
from understudy.table.builtin import load as builtin

FLIPS, CUTS = 2_000, 200


@pytest.fixture(scope="module")
def model():
    return GaussianCopula().fit(builtin("people", rows=40), progress=False)


@pytest.fixture
def folder(model, tmp_path):
    return model.save(tmp_path / "model")


def sealed(folder, change):
    """Change the manifest and seal it again, as somebody who knows the format could."""
    tree = json.loads((folder / store.MANIFEST).read_text(encoding="utf-8"))
    change(tree)
    tree["seal"] = store._seal(tree)
    (folder / store.MANIFEST).write_bytes(store._written(tree))


def replace(folder, name, content):
    """Replace a part and write its digest into the manifest."""
    (folder / name).write_bytes(content)
    sealed(folder, lambda tree: tree["parts"].update({name: store.digest(content)}))


def test_a_folder_holds_the_manifest_and_three_parts_and_nothing_else(folder):
    assert {path.name for path in folder.iterdir()} == {store.MANIFEST, *store.PARTS}
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


def test_every_changed_byte_is_noticed(folder):
    rng = np.random.default_rng(0)
    raw = {path: path.read_bytes() for path in sorted(folder.iterdir())}
    paths = list(raw)
    accepted = []
    for flip in range(FLIPS):
        path = paths[flip % len(paths)]
        place, bits = int(rng.integers(len(raw[path]))), int(rng.integers(1, 256))
        damaged = bytearray(raw[path])
        damaged[place] ^= bits
        path.write_bytes(damaged)
        try:
            us.load(folder)
            accepted.append((path.name, place, bits))
        except CorruptModel:  # VersionError is one of them; any other error fails the test
            path.write_bytes(raw[path])
    assert accepted == []
    us.load(folder)


def test_every_truncation_is_noticed(folder):
    rng = np.random.default_rng(1)
    raw = {path: path.read_bytes() for path in sorted(folder.iterdir())}
    for cut in range(CUTS):
        path = list(raw)[cut % len(raw)]
        path.write_bytes(raw[path][: int(rng.integers(len(raw[path])))])
        with pytest.raises(CorruptModel):
            us.load(folder)
        path.write_bytes(raw[path])


@pytest.mark.parametrize("change", [b" ", b"\n", b"\x00", b"{}"], ids=repr)
@pytest.mark.parametrize("name", [store.MANIFEST, *store.PARTS])
def test_added_bytes_are_noticed(folder, name, change):
    raw = (folder / name).read_bytes()
    for damaged in (raw + change, change + raw):
        (folder / name).write_bytes(damaged)
        with pytest.raises(CorruptModel):
            us.load(folder)


@pytest.mark.parametrize("name", [store.MANIFEST, *store.PARTS])
def test_a_missing_part_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(CorruptModel, match=name):
        us.load(folder)


@pytest.mark.parametrize("name", [store.MANIFEST, *store.PARTS])
def test_a_part_that_is_a_folder_or_a_pipe_is_refused_and_not_waited_for(folder, name):
    (folder / name).unlink()
    (folder / name).mkdir()
    with pytest.raises(CorruptModel):
        us.load(folder)
    (folder / name).rmdir()
    os.mkfifo(folder / name)
    with pytest.raises(CorruptModel):
        us.load(folder)


def test_parts_of_two_models_do_not_mix(folder, tmp_path):
    other = Histogram().fit(builtin("people", rows=60), progress=False).save(tmp_path / "other")
    for name in store.PARTS:
        shutil.copy(other / name, folder / name)
        with pytest.raises(CorruptModel, match="SHA-256"):
            us.load(folder)


def test_a_newer_format_says_that_understudy_must_be_updated(folder):
    sealed(folder, lambda tree: tree.update(format=2))
    with pytest.raises(VersionError, match="format 2 is newer than 1; update understudy"):
        us.load(folder)


def test_a_newer_schema_or_certificate_says_so_too(folder):
    for name in ("schema.json", "certificate.json"):
        raw = (folder / name).read_bytes()
        tree = json.loads(raw)
        replace(folder, name, json.dumps({**tree, "format": 99}).encode())
        with pytest.raises(VersionError, match="is newer than 1; update understudy"):
            us.load(folder)
        replace(folder, name, raw)


def test_a_manifest_sealed_by_hand_is_still_checked_for_its_shape(folder):
    raw = (folder / store.MANIFEST).read_bytes()
    wrong = [
        {"recipe": ["copy"]}, {"settings": []}, {"facts": 1}, {"parts": []}, {"parts": {}}, {"frame": "x"},
        {"tool": None}, {"format": "1"}, {"format": 0}, {"format": None}, {"more": 1}, {"facts": {}},
        {"recipe": "no_such_method"}, {"recipe": "../copy"}, {"recipe": "histogram"},
        {"settings": {"knots": 0}}, {"settings": {"unknown": 1}}, {"frame": {}},
        {"frame": {"kind": "pickle", "columns": []}}, {"facts": {"names": 5}},
        {"facts": {"names": []}}, {"facts": {"names": ["age"]}},
    ]  # fmt: skip
    for change in wrong:
        sealed(folder, lambda tree, change=change: tree.update(change))
        with pytest.raises(CorruptModel):
            us.load(folder)
        (folder / store.MANIFEST).write_bytes(raw)


@pytest.mark.parametrize(
    "content",
    [
        b"", b"null", b"[]", b"1", b'"model"', b"{", b"{}", b"[" * 100_000, b'{"format": 1}', b"\xff\xfe",
        b'{"format": ' + b"9" * 5_000 + b"}", b'{"format": NaN}', b'{"format": 1, "format": 1}',
    ],
    ids=lambda content: repr(content[:20]),
)  # fmt: skip
def test_a_manifest_that_is_no_manifest_is_refused(folder, content):
    (folder / store.MANIFEST).write_bytes(content)
    with pytest.raises(CorruptModel):
        us.load(folder)


def test_a_manifest_written_in_another_way_is_refused_though_it_says_the_same(folder):
    path = folder / store.MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8"))), encoding="utf-8")
    with pytest.raises(CorruptModel, match="altered"):
        us.load(folder)


def test_a_manifest_above_the_cap_is_refused_before_it_is_parsed(folder, monkeypatch):
    monkeypatch.setattr(store, "LARGEST_MANIFEST", 100)
    with pytest.raises(CorruptModel, match="larger than"):
        us.load(folder)


def test_a_pickle_under_the_name_of_a_part_is_never_run(folder, tmp_path):
    trap = tmp_path / "trap"
    pickled = b"cos\nsystem\n(S'touch " + str(trap).encode() + b"'\ntR."
    for name in store.PARTS:
        raw = (folder / name).read_bytes()
        replace(folder, name, pickled)
        with pytest.raises(CorruptModel):
            us.load(folder)
        replace(folder, name, raw)
    assert not trap.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"", b"\x00" * 7, (2**63).to_bytes(8, "little"), (2**40).to_bytes(8, "little") + b"{}",
        (2).to_bytes(8, "little") + b"[]", (2**62).to_bytes(8, "little") + b"{" * 1000,
    ],
    ids=lambda content: repr(content[:12]),
)  # fmt: skip
def test_a_hostile_tensor_header_is_refused(folder, content):
    replace(folder, "tensors.safetensors", content)
    with pytest.raises(CorruptModel):
        us.load(folder)


def spoil(folder, change):
    tensors = read_tensors((folder / "tensors.safetensors").read_bytes())
    replace(folder, "tensors.safetensors", write_tensors(change(dict(tensors))))


@pytest.mark.parametrize(
    "change",
    [
        lambda t: {**t, "correlation": np.full_like(t["correlation"], np.nan)},
        lambda t: {**t, "correlation": -t["correlation"]},
        lambda t: {**t, "correlation": t["correlation"][:-1]},
        lambda t: {**t, "correlation": np.zeros_like(t["correlation"])},
        lambda t: {name: values for name, values in t.items() if name != "0.upper"},
        lambda _t: {},
        lambda t: {**t, "0.values": t["0.values"].astype(np.float32), "0.upper": np.empty(0)},
    ],
    ids=["nan", "negative", "too small", "zero", "a margin gone", "all gone", "an empty margin"],
)
def test_tensors_from_which_no_row_can_be_drawn_are_refused(folder, change):
    spoil(folder, change)
    with pytest.raises(CorruptModel, match="do not belong together"):
        us.load(folder)


def test_nan_is_a_missing_number_in_stored_rows_and_stays_one(tmp_path):
    model = Copy().fit(pa.table({"x": [1.25, None, 3.1234567] * 7, "y": list(range(21))}), progress=False)
    again = us.load(model.save(tmp_path / "model"))
    assert again.sample(21).column("x").null_count == 7


@pytest.mark.parametrize("name", ["nothing", "empty", "file"])
def test_a_place_that_is_no_model_is_refused(tmp_path, name):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(CorruptModel, match="not a model folder"):
        us.load(tmp_path / name)


def test_saving_over_a_model_replaces_it(model, folder):
    other = Histogram().fit(builtin("people", rows=60), progress=False)
    other.save(folder)
    assert us.load(folder).recipe == "histogram"
    model.save(str(folder))
    assert us.load(str(folder)).recipe == "gaussian_copula"
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


def test_saving_into_an_empty_folder_works(model, tmp_path):
    (tmp_path / "new").mkdir()
    us.load(model.save(tmp_path / "new"))


def test_saving_makes_the_folders_above(model, tmp_path):
    us.load(model.save(tmp_path / "a" / "b" / "model"))


def test_saving_through_a_link_replaces_the_model_and_keeps_the_link(model, folder, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(folder, target_is_directory=True)
    model.save(link)
    assert link.is_symlink()
    assert us.load(folder).recipe == us.load(link).recipe
    assert {path.name for path in tmp_path.iterdir()} == {"link", "model"}


@pytest.mark.parametrize("beside", ["notes.txt", "model.json", "stand-in.csv", ".hidden"])
def test_a_folder_with_other_files_is_refused_and_left_alone(model, tmp_path, beside):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / beside).write_text("precious", encoding="utf-8")
    with pytest.raises(WriteError, match="other files"):
        model.save(tmp_path / "mine")
    assert (tmp_path / "mine" / beside).read_text(encoding="utf-8") == "precious"


def test_a_model_folder_with_a_file_of_the_users_is_refused_and_left_alone(model, folder):
    (folder / "stand-in.csv").write_text("precious", encoding="utf-8")
    with pytest.raises(WriteError, match="other files"):
        model.save(folder)
    assert (folder / "stand-in.csv").exists()


def test_a_plain_file_is_refused_and_left_alone(model, tmp_path):
    (tmp_path / "file").write_text("precious", encoding="utf-8")
    with pytest.raises(WriteError, match="cannot use"):
        model.save(tmp_path / "file")
    with pytest.raises(WriteError, match="cannot"):
        model.save(tmp_path / "file" / "below")
    assert (tmp_path / "file").read_text(encoding="utf-8") == "precious"


def test_a_crash_while_writing_leaves_the_old_model_and_no_traces(folder, monkeypatch):
    def full(_path, _content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store, "write_bytes", full)
    with pytest.raises(WriteError, match="No space left"):
        Histogram().fit(builtin("people", rows=60), progress=False).save(folder)
    assert us.load(folder).recipe == "gaussian_copula"
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


def test_a_crash_while_moving_brings_the_old_model_back(model, folder, monkeypatch):
    rename = os.rename
    calls = []

    def fails_the_second_time(source, target):
        calls.append(source)
        if len(calls) == 2:
            raise OSError(5, "Input/output error")
        rename(source, target)

    monkeypatch.setattr(folder_swap, "_exchange", lambda *_: False)
    monkeypatch.setattr(os, "rename", fails_the_second_time)
    with pytest.raises(WriteError, match="Input/output error"):
        model.save(folder)
    monkeypatch.undo()
    us.load(folder)
    assert [path.name for path in folder.parent.iterdir()] == ["model"]


def test_a_model_in_the_working_directory_can_be_saved_by_a_dot(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "occupied").mkdir()
    with pytest.raises(WriteError, match="other files"):
        model.save(".")
    (tmp_path / "occupied").rmdir()
    model.save(".")
    us.load(tmp_path)


def test_the_manifest_names_the_digest_of_every_part(folder):
    tree = json.loads((folder / store.MANIFEST).read_text(encoding="utf-8"))
    assert tree["parts"] == {name: store.digest((folder / name).read_bytes()) for name in store.PARTS}
    assert tree["format"] == store.FORMAT


def modes(folder):
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in [folder, *folder.iterdir()]}


def test_a_private_model_folder_stays_private(model, folder):
    for path in folder.iterdir():
        path.chmod(0o600)
    folder.chmod(0o700)
    before = modes(folder)
    model.save(folder)
    assert modes(folder) == before


def test_an_empty_private_folder_stays_private(model, tmp_path):
    (tmp_path / "mine").mkdir(mode=0o700)
    model.save(tmp_path / "mine")
    assert modes(tmp_path / "mine")["mine"] == 0o700


def test_a_new_model_folder_has_the_permissions_that_new_folders_have(folder, tmp_path):
    (tmp_path / "plain").mkdir()
    assert modes(folder)["model"] == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


@pytest.mark.parametrize("exchange", [True, False])
def test_a_save_that_is_killed_leaves_a_whole_model_and_the_next_one_no_traces(exchange):
    code = f"""
from understudy.model import store
from understudy.table import folder_swap
names = (*store.PARTS, store.MANIFEST)
store._contents = lambda word: dict.fromkeys(names, word)
if not {exchange}:
    folder_swap._exchange = lambda *_: False
def before(folder):
    store.save(b"old", folder / "m")
def write(folder):
    store.save(b"new", folder / "m")
def look(folder):
    try:
        store.open_parts(folder / "m")
    except store.CorruptModel:
        pass
    found = sorted({{path.read_text() for path in (folder / "m").iterdir()}})
    return [found, len(list((folder / "m").iterdir())), sorted(path.name for path in folder.iterdir())]
"""
    outcomes = killed_at_every_call(code, [(folder_swap.__name__, "_exchange")])
    assert len(outcomes) > 20
    assert {tuple(killed[0]) for killed, _ in outcomes} == {("old",), ("new",)}
    assert all(killed[1] == 4 for killed, _ in outcomes)
    assert all(after == [["new"], 4, ["m"]] for _, after in outcomes)


@pytest.mark.parametrize("path", [None, 5, b"x", 1.5, ["m"], "a\0b"], ids=repr)
def test_what_is_no_path_is_refused_with_an_error_of_ours(model, path):
    with pytest.raises(us.UnderstudyError, match="model: expected"):
        model.save(path)
    with pytest.raises(us.UnderstudyError, match="load: expected"):
        us.load(path)


@pytest.fixture
def of_pandas(tmp_path):
    frame = builtin("people", rows=40).to_pandas()[["age", "sex"]]
    return Histogram().fit(frame, progress=False).save(tmp_path / "pandas")


@pytest.mark.parametrize(
    ("kind", "column"),
    [
        ("pandas", {"name": "age", "dtype": "evil", "type": "int64"}),
        ("pandas", {"name": "age", "dtype": "", "type": "int64"}),
        ("pandas", {"name": "age", "dtype": "category<int64>", "type": "int64"}),
        ("pandas", {"name": "age", "dtype": "category<object<x>>", "type": "int64"}),
        ("pandas", {"name": "sex", "dtype": "int64", "type": "int64"}),
        ("pandas", {"name": "age", "dtype": "int64", "type": "evil"}),
        ("polars", {"name": "age", "dtype": "Enum", "type": "int64"}),
        ("duckdb", {"name": "age", "dtype": "UUID", "type": "int64"}),
    ],
    ids=repr,
)
def test_a_frame_that_the_rows_do_not_fit_is_refused(of_pandas, kind, column):
    us.load(of_pandas)
    sealed(of_pandas, lambda tree: tree.update(frame={"kind": kind, "columns": [column]}))
    with pytest.raises(CorruptModel, match="do not belong together"):
        us.load(of_pandas)


@pytest.mark.parametrize("kind", [np.bool_, np.float32, np.uint8])
def test_tensors_of_another_type_are_refused_or_give_a_table(of_pandas, kind):
    spoil(of_pandas, lambda t: {name: values.astype(kind) for name, values in t.items()})
    try:
        found = us.load(of_pandas)
    except CorruptModel:
        return
    assert len(found.sample(50)) == 50


def test_levels_that_are_too_few_are_refused(of_pandas):
    tree = json.loads((of_pandas / "schema.json").read_bytes())
    for column in tree["columns"]:
        if column["name"] == "sex":
            column["levels"]["values"] = column["levels"]["values"][:1]
    replace(of_pandas, "schema.json", json.dumps(tree).encode())
    with pytest.raises(CorruptModel, match="do not belong together"):
        us.load(of_pandas)


def test_a_frame_whose_package_is_not_installed_does_not_stop_a_load(tmp_path, monkeypatch):
    frame = builtin("people", rows=40).to_polars()
    folder = Histogram().fit(frame, progress=False).save(tmp_path / "polars")
    monkeypatch.setitem(sys.modules, "polars", None)
    found = us.load(folder)
    assert len(found.sample_table(5)) == 5
    with pytest.raises(us.UnderstudyError, match="pip install polars"):
        found.sample(5)
