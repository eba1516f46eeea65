import ast
import copy
import gc
import os
import pickle
import random
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

import understudy.privacy.stream as stream_file
from understudy.errors import ParameterError, UnderstudyError
from understudy.privacy.stream import Stream

KEY = bytes(range(32))
PRIVACY = Path(stream_file.__file__).parent


def words_of(data):
    return np.frombuffer(data, "<u8")


def test_the_cipher_gives_the_nist_vectors_for_aes_256_in_counter_mode():
    # NIST SP 800-38A, F.5.5
    key = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    plain = bytes.fromhex(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
        "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
    )
    expected = bytes.fromhex(
        "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
        "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6"
    )
    cipher = stream_file._counter_mode(key, 0xF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF)
    assert cipher.update(plain) == expected


def test_a_stream_is_counter_mode_from_block_nought_under_its_cipher_key():
    cipher_key = HKDFExpand(hashes.SHA256(), 32, b"understudy cipher\0").derive(KEY)
    expected = stream_file._counter_mode(cipher_key).update(bytes(1000))
    assert Stream.from_key(KEY).take(1000) == expected


def test_any_block_of_a_stream_can_be_computed_alone():
    cipher_key = HKDFExpand(hashes.SHA256(), 32, b"understudy cipher\0").derive(KEY)
    whole = Stream.from_key(KEY).take(16 * 1000)
    assert stream_file._counter_mode(cipher_key, 777).update(bytes(16)) == whole[16 * 777 : 16 * 778]


def test_keys_are_derived_by_hkdf_with_the_labels_and_their_lengths():
    labels = [b"s", (5).to_bytes(8, "big"), b"train", b"i", (1).to_bytes(8, "big"), b"7"]
    info = b"understudy child\0" + b"".join(labels)
    child_key = HKDFExpand(hashes.SHA256(), 32, info).derive(KEY)
    assert Stream.from_key(KEY).child("train", 7).take(64) == Stream.from_key(child_key).take(64)


@pytest.mark.parametrize("pieces", [[1, 15, 16, 17, 951], [999, 1], [0, 1000], [8] * 125])
def test_pieces_of_any_size_join_to_the_same_stream(pieces):
    whole, parts = Stream.from_key(KEY).take(1000), Stream.from_key(KEY)
    assert b"".join(parts.take(size) for size in pieces) == whole


def test_a_draw_larger_than_the_zeros_goes_on_without_a_seam():
    size = 2 * len(stream_file._ZEROS) + 5
    whole, parts = Stream.from_key(KEY).take(size), Stream.from_key(KEY)
    assert parts.take(len(stream_file._ZEROS) - 3) + parts.take(len(stream_file._ZEROS) + 8) == whole


def test_words_are_the_bytes_in_little_endian_order():
    assert Stream.from_key(KEY).uint64(50).tolist() == words_of(Stream.from_key(KEY).take(400)).tolist()


def test_a_million_blocks_of_a_thousand_steps_are_all_different():
    run = Stream.unsafe_test_noise(0)
    blocks = b"".join(run.child("step", step).take(16 * 1000) for step in range(1000))
    assert len(np.unique(np.frombuffer(blocks, "V16"))) == 1_000_000


def test_children_differ_from_their_parent_and_from_each_other_by_every_label():
    run = Stream.from_key(KEY)
    paths = [
        ("a",),
        ("a", "bc"),
        ("ab", "c"),
        ("abc",),
        (1,),
        ("1",),
        (-1,),
        ("i1",),
        ("", "a"),
        ("a", ""),
        (0, 1),
    ]
    drawn = [run.child(*path).take(32) for path in paths]
    drawn += [run.child("a").child("bc").take(32), run.take(32), run.device_key("a"), KEY]
    assert len(set(drawn)) == len(drawn)


def test_a_child_is_the_same_whenever_it_is_made():
    run = Stream.from_key(KEY)
    before = run.child("noise", 3).take(48)
    run.take(1000)
    assert (
        run.child("noise", 3).take(48) == before == Stream.from_key(KEY).child("noise", np.int64(3)).take(48)
    )


def test_a_device_key_starts_no_stream_of_this_processor():
    run = Stream.from_key(KEY)
    key = run.device_key("cuda", 0)
    assert len(key) == 32 and key == run.device_key("cuda", 0) != run.device_key("cuda", 1)
    assert Stream.from_key(key).take(32) != run.child("cuda", 0).take(32)


def test_two_fresh_streams_differ_whatever_the_worlds_seeds_are():
    drawn = []
    for _ in range(2):
        np.random.seed(0)  # noqa: NPY002 - the point is that it changes nothing
        random.seed(0)
        drawn.append(Stream.fresh().take(32))
    assert drawn[0] != drawn[1]


def test_the_room_asks_for_no_other_randomness_and_no_torch():
    # the user's seed has one way into the project, rng.py: the room may not import that either
    banned = {"random", "torch", "secrets", "understudy.rng"}
    used = [
        f"{path.name}:{node.lineno}"
        for path in sorted(PRIVACY.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if banned & names_of(node)
    ]
    assert used == []


def names_of(node):
    """Return the packages that a statement imports, and "random" for np.random and its like."""
    if isinstance(node, ast.Import):
        return (
            {alias.name for alias in node.names}
            | {alias.name.split(".")[0] for alias in node.names}
            | ({"random"} if any(alias.name.endswith(".random") for alias in node.names) else set())
        )
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        within = {f"{module}.{alias.name}" for alias in node.names}
        return {module, module.split(".")[0], *within} | (
            {"random"} if "numpy.random" in within | {module} else set()
        )
    if isinstance(node, ast.Attribute):
        return {"random"} if node.attr == "random" else set()
    return set()


@pytest.mark.parametrize(
    "line",
    [
        "import random",
        "import numpy.random",
        "from numpy import random",
        "from numpy.random import default_rng",
        "x = np.random.normal()",
        "import torch",
        "from torch import nn",
        "import torch.nn as nn",
        "from understudy import rng",
        "from understudy.rng import stream",
        "import understudy.rng",
    ],
)
def test_the_search_for_other_randomness_finds_it(line):
    banned = {"random", "torch", "secrets", "understudy.rng"}
    assert any(banned & names_of(node) for node in ast.walk(ast.parse(line)))


def test_every_file_of_the_room_was_searched():
    assert {"stream.py", "noise.py", "discrete.py", "on_grid.py"} <= {
        path.name for path in PRIVACY.glob("*.py")
    }


def test_test_noise_repeats_and_says_that_it_is_not_private():
    first, again = Stream.unsafe_test_noise(5), Stream.unsafe_test_noise(5)
    assert first.take(32) == again.take(32) != Stream.unsafe_test_noise(6).take(32)
    assert not first.private and not first.child("a").child("b").private
    assert repr(first) == "Stream(NOT PRIVATE)"


def test_other_streams_are_private():
    assert Stream.fresh().private and Stream.from_key(KEY).private and Stream.fresh().child("a").private


def test_the_key_is_nowhere_to_be_read():
    key = os.urandom(32)
    run = Stream.from_key(key)
    run.take(8)
    cipher_key = HKDFExpand(hashes.SHA256(), 32, b"understudy cipher\0").derive(key)
    held = [getattr(run, name) for name in Stream.__slots__]
    reached = [*held, *gc.get_referents(*held), *gc.get_referents(run)]
    assert not any(thing in (key, cipher_key) for thing in reached if isinstance(thing, bytes))
    assert repr(run) == str(run) == "Stream(private)" and not hasattr(run, "__dict__")


@pytest.mark.parametrize("copying", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_stream_cannot_be_copied_or_pickled(copying):
    with pytest.raises(UnderstudyError, match="cannot be copied"):
        copying(Stream.fresh())


def test_a_forked_process_is_refused_its_parents_noise():
    code = (
        "import os; from understudy.privacy.stream import Stream\n"
        "from understudy.errors import UnderstudyError\n"
        "run = Stream.fresh(); run.take(8)\n"
        "if os.fork() == 0:\n"
        "    refused = 0\n"
        "    for draw in (lambda: run.take(8), lambda: run.child('a'), lambda: run.device_key('a')):\n"
        "        try: draw()\n"
        "        except UnderstudyError: refused += 1\n"
        "    os._exit(0 if refused == 3 and Stream.fresh().take(8) else 1)\n"
        "raise SystemExit(os.waitstatus_to_exitcode(os.wait()[1]))\n"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0


def test_threads_share_a_stream_without_drawing_a_block_twice():
    run, drawn = Stream.unsafe_test_noise(1), []
    threads = [
        threading.Thread(target=lambda: drawn.extend(run.take(64) for _ in range(500))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    whole = Stream.unsafe_test_noise(1).take(64 * 4000)
    assert set(drawn) == {whole[start : start + 64] for start in range(0, len(whole), 64)}


@pytest.mark.parametrize(
    "key", [b"", bytes(31), bytes(33), bytes(32), b"k" * 32, "k" * 32, bytearray(KEY), None]
)
def test_what_is_no_random_key_is_refused_and_not_shown(key):
    with pytest.raises(ParameterError) as refusal:
        Stream.from_key(key)
    assert "kk" not in str(refusal.value) and "\\x" not in str(refusal.value)


@pytest.mark.parametrize("labels", [(), (True,), (1.5,), (b"a",), (None,), (("a",),)])
def test_labels_are_texts_and_whole_numbers(labels):
    with pytest.raises(ParameterError, match="label"):
        Stream.fresh().child(*labels)
    with pytest.raises(ParameterError, match="label"):
        Stream.fresh().device_key(*labels)


@pytest.mark.parametrize("size", [-1, 1.0, True, None, "8"])
def test_sizes_are_whole_numbers_from_nought(size):
    with pytest.raises(ParameterError, match="take needs a whole number"):
        Stream.fresh().take(size)
    with pytest.raises(ParameterError, match="uint64 needs a whole number"):
        Stream.fresh().uint64(size)


@pytest.mark.parametrize(
    "room",
    [np.zeros(4, np.float32), np.zeros(4, np.uint64), np.zeros((2, 2), np.uint8), np.zeros(8, np.uint8)[::2]],
)
def test_only_an_unbroken_run_of_bytes_is_filled(room):
    with pytest.raises(ParameterError, match="unbroken"):
        Stream.fresh().fill(room)


def test_filling_goes_on_where_taking_stopped():
    run, room = Stream.from_key(KEY), np.zeros(100, np.uint8)
    before = run.take(50)
    run.fill(room)
    assert before + room.tobytes() + run.take(50) == Stream.from_key(KEY).take(200)


@pytest.mark.parametrize("seed", [-1, 1.0, True, None, "8"])
def test_the_seed_of_test_noise_is_a_whole_number(seed):
    with pytest.raises(ParameterError, match="seed"):
        Stream.unsafe_test_noise(seed)


def test_the_bits_are_even_and_neighbouring_words_unrelated():
    words = Stream.unsafe_test_noise(2).uint64(100_000)
    ones = np.unpackbits(words.view(np.uint8)).reshape(-1, 64).mean(axis=0)
    assert np.abs(ones - 0.5).max() < 5 * 0.5 / np.sqrt(100_000)
    floats = words.astype(np.float64)
    assert abs(np.corrcoef(floats[:-1], floats[1:])[0, 1]) < 5 / np.sqrt(100_000)


def test_blocks_taken_by_their_place_are_those_of_the_stream():
    run = Stream.fresh()
    whole, part = np.empty(160, np.uint8), np.empty(40, np.uint8)
    run.child("a").fill(whole)
    run.child("a").fill_at(3, part)
    assert np.array_equal(part, whole[48:88])


def test_a_stream_is_read_on_or_by_place_but_never_both():
    room = np.empty(16, np.uint8)
    first, second = Stream.fresh(), Stream.fresh()
    first.fill(room)
    with pytest.raises(ParameterError):
        first.fill_at(0, room)
    second.fill_at(7, room)
    with pytest.raises(ParameterError):
        second.fill(room)
