"""The one source of privacy noise: a keyed cipher stream, fed by the operating system.

Block i of a stream is AES-256 of the 128-bit big-endian counter i, under a key of the stream's own. So
any block can be computed alone, in any order, and noise is a pure function of (run key, purpose, step,
tensor): replay needs no saved state.

Where each key comes from (HKDF-Expand of RFC 5869 with SHA-256; the keys are uniform, so there is nothing
to extract):

    run key -> cipher key of this stream          info "cipher"
            -> key of a child, by its labels      info "child" and the labels
            -> key of a stream on a device        info "device" and the labels

A device kernel (AES or ChaCha20, counter = block number) runs the same kind of stream under a
`device_key`, which no stream on the processor shares: it needs no counter kept apart from ours, and no
state copied back.

The user's `seed` never comes here.
"""

from __future__ import annotations

import hmac
import os
import threading
from typing import TYPE_CHECKING, Any, NoReturn, final

import numpy as np

from understudy.errors import ParameterError, UnderstudyError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers import CipherContext

__all__ = ["KEY_BYTES", "Stream"]

KEY_BYTES = 32
_ZEROS = bytes(1 << 19)  # what the cipher turns into its stream, a piece at a time; half a MiB stays in cache
_FEWEST_BYTE_VALUES = 8  # a random key has fewer than one time in 10^30; a file of zeros has one


@final
class Stream:
    """A run of secret random bytes that never repeats, and that nobody can continue without the key.

    Two streams with the same key and labels give the same bytes: draw from a child once per purpose,
    never again for other data. The key can be neither read nor copied: what is kept is the cipher's and
    the hash's inner state.

    >>> run = Stream.fresh()
    >>> run
    Stream(private)
    >>> run.child("train", 7).take(16) == run.child("train", 7).take(16)
    True
    >>> run.child("a", "bc").take(16) == run.child("ab", "c").take(16)
    False
    """

    __slots__ = ("_cipher", "_lock", "_placed", "_private", "_process", "_tree")

    def __init__(self, key: bytes, *, private: bool = True) -> None:
        self._tree = hmac.new(_checked_key(key), digestmod="sha256")
        self._private = private
        self._process = os.getpid()
        self._cipher: CipherContext | None = None
        self._placed = False  # whether blocks are taken by their place
        self._lock = threading.Lock()

    @classmethod
    def fresh(cls) -> Stream:
        """Return a stream under a new key from the operating system."""
        return cls(os.urandom(KEY_BYTES))

    @classmethod
    def from_key(cls, key: bytes) -> Stream:
        """Return the stream of a kept key, so that a resumed run draws the noise it would have drawn."""
        return cls(key)

    @classmethod
    def unsafe_test_noise(cls, seed: int) -> Stream:
        """Return a stream that anyone can compute again: for tests; whatever it touches is NOT PRIVATE."""
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
            raise ParameterError(f"unsafe_test_noise: seed must be a whole number from 0; got {seed!r}.")
        public = hmac.new(b"understudy: unsafe test noise", _label(int(seed)), "sha256")
        return cls(public.digest(), private=False)

    @property
    def private(self) -> bool:
        """Whether the key is secret; where it is not, everything made with it is stamped NOT PRIVATE."""
        return self._private

    def child(self, *labels: str | int) -> Stream:
        """Return the stream of these labels: unrelated to this one and to that of any other labels."""
        _refuse_fork(self._process)
        return Stream(_derive(self._tree, b"child", labels), private=self._private)

    def device_key(self, *labels: str | int) -> bytes:
        """Return the key of a stream that a device computes; who holds it knows that stream's noise."""
        _refuse_fork(self._process)
        return _derive(self._tree, b"device", labels)

    def take(self, n_bytes: int) -> bytes:
        """Return the next bytes of the stream."""
        room = np.empty(_checked_size("take", n_bytes), np.uint8)
        self.fill(room)
        return room.tobytes()

    def uint64(self, n: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
        """Return the next n words of the stream: little-endian, all 64 bits uniform."""
        room = np.empty(8 * _checked_size("uint64", n), np.uint8)
        self.fill(room)
        return room.view("<u8").astype(np.uint64, copy=False)

    def fill(self, room: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> None:
        """Write the next bytes of the stream over an array of bytes (one pass, nothing allocated)."""
        _refuse_broken(room)
        _refuse_fork(self._process)
        if self._placed:
            raise ParameterError("stream: its blocks are taken by their place; derive a child to read on.")
        with self._lock:
            if self._cipher is None:
                self._cipher = _counter_mode(_expand(self._tree, b"cipher", b""))
            _write(self._cipher, room)

    def fill_at(self, first_block: int, room: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> None:
        """Write the bytes from a block of 16 on over an array of bytes, in any order of blocks.

        Whoever takes blocks by their place sees to it that no block is taken twice; a stream is read either
        so or from its start on, never both.
        """
        _refuse_broken(room)
        _refuse_fork(self._process)
        if self._cipher is not None:
            raise ParameterError("stream: it was read from its start on; derive a child to take blocks of.")
        self._placed = True
        _write(_counter_mode(_expand(self._tree, b"cipher", b""), first_block), room)

    def __repr__(self) -> str:
        return "Stream(private)" if self._private else "Stream(NOT PRIVATE)"

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise UnderstudyError("stream: a stream cannot be copied, pickled or saved; derive a child instead.")


def _derive(tree: hmac.HMAC, kind: bytes, labels: tuple[str | int, ...]) -> bytes:
    if not labels:
        raise ParameterError("stream: a stream derived from another needs at least one label; got none.")
    return _expand(tree, kind, b"".join(_label(label) for label in labels))


def _refuse_broken(room: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> None:
    # Of any other array the cipher would leave a part as it was, and unwritten memory is no noise.
    if room.dtype != np.uint8 or room.ndim != 1 or not room.flags.c_contiguous:
        raise ParameterError("stream: fill needs one unbroken run of bytes (uint8); try .view(np.uint8).")


def _write(cipher: CipherContext, room: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> None:
    for start in range(0, len(room), len(_ZEROS)):
        piece = room[start : start + len(_ZEROS)]
        cipher.update_into(memoryview(_ZEROS)[: len(piece)], piece.data)


def _expand(tree: hmac.HMAC, kind: bytes, info: bytes) -> bytes:
    """Return the first block of HKDF-Expand: as long as a key, so one block is the whole of it."""
    hashing = tree.copy()
    hashing.update(b"understudy " + kind + b"\0" + info + b"\x01")
    return hashing.digest()


def _refuse_fork(process: int) -> None:
    # Both sides of a fork would go on with the same bytes: the same noise on two tables cancels out.
    if os.getpid() != process:
        raise UnderstudyError(
            "stream: a forked process must not go on with its parent's noise; "
            "make a stream in each process, from Stream.fresh() or from a key of its own."
        )


def _counter_mode(key: bytes, first_block: int = 0) -> CipherContext:
    """Return AES in counter mode, at the given block."""
    # Here, not above: accounting and verifying need no cipher, and must load where it is not installed.
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    return Cipher(algorithms.AES(key), modes.CTR(first_block.to_bytes(16, "big"))).encryptor()


def _label(label: str | int) -> bytes:
    """Return a label with its kind and its length in front, so that no two lists of labels look alike."""
    if isinstance(label, str):
        kind, text = b"s", label.encode("utf-8", "surrogatepass")
    elif isinstance(label, int | np.integer) and not isinstance(label, bool):
        kind, text = b"i", str(int(label)).encode()
    else:
        raise ParameterError(f"stream: a label is a text or a whole number; got a {type(label).__name__}.")
    return kind + len(text).to_bytes(8, "big") + text


def _checked_key(key: bytes) -> bytes:
    if not isinstance(key, bytes) or len(key) != KEY_BYTES:
        what = f"{len(key)} bytes" if isinstance(key, bytes) else f"a {type(key).__name__}"
        raise ParameterError(f"stream: a key is {KEY_BYTES} bytes; got {what}.")
    if len(set(key)) < _FEWEST_BYTE_VALUES:
        raise ParameterError("stream: these bytes are no random key (a file of zeros?); use Stream.fresh().")
    return key


def _checked_size(who: str, size: int) -> int:
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 0:
        raise ParameterError(f"stream: {who} needs a whole number from 0; got {size!r}.")
    return int(size)
