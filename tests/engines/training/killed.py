"""A training that is killed again and again, and one that is not; a script that prints what came of both.

Each run is a fork of one process, as importing torch takes longer than training here does. Killed is meant as
`kill -9`: nothing is cleaned up, no buffer is written.
"""

import hashlib
import json
import os
import signal
import sys
import tempfile
from pathlib import Path

import torch

from engines.training.networks import bytes_of, network, noisy_loss, rows_of
from engines.training.test_privately import trained, vault_of
from understudy.engines.training import checkpoint
from understudy.engines.training.fit import Settings
from understudy.engines.training.openly import OpenFit
from understudy.privacy.stream import Stream

STEPS = 200


def die():
    os.kill(os.getpid(), signal.SIGKILL)


COUNT = {"calls": 0, "last": None}  # apart from the loss: a loss with other attributes is another training


def killing(model, rows, noise):
    """A loss that kills its process when it is called for the n-th time."""
    COUNT["calls"] += 1
    if COUNT["calls"] == COUNT["last"]:
        die()
    return noisy_loss(model, rows, noise)


def openly(keep):
    settings = Settings(
        steps=STEPS, batch=16, ema=0.95, schedule="cosine", validation=0.2, every=64, patience=9
    )
    model = torch.nn.Sequential(network(), torch.nn.Dropout(0.1))
    OpenFit(rows_of(), {"a": settings}, 0, keep=keep, device="cpu").train("a", model, killing)
    return model


def privately(keep):
    vault = vault_of(rows_of(), Stream.unsafe_test_noise(1), steps=STEPS)
    return trained(vault, loss=killing, keep=keep, steps=STEPS)


def run(train, keep, last=None, *, in_rename=False):
    """Train in a process of its own; return the digest of the weights and how often the loss was asked."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        if in_rename:
            checkpoint.os.replace = lambda *_names: die()
        COUNT["last"] = last
        found = hashlib.sha256(bytes_of(train(keep))).hexdigest(), COUNT["calls"]
        os.write(writing, json.dumps(found).encode())
        os._exit(0)
    os.close(writing)
    _, status = os.waitpid(child, 0)
    with os.fdopen(reading) as answer:
        text = answer.read()
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    assert killed == (text == ""), status
    return None if killed else json.loads(text)


def load_what_is_loaded_late():
    """Have the parent import, and price, what its children would each by themselves; no backward pass yet."""
    weight = torch.nn.Parameter(torch.zeros(1))
    weight.grad = torch.ones(1)
    torch.optim.AdamW([weight], fused=True).step()
    vault_of(rows_of(), steps=STEPS)
    Stream.fresh().take(1)


def story(train):
    """Return the digests and calls of a run that nobody disturbed and of one that was killed four times."""
    torch.set_num_threads(1)
    checkpoint._EVERY = 0.0
    load_what_is_loaded_late()
    whole = run(train, None)
    with tempfile.TemporaryDirectory() as place:
        keep = Path(place)
        killed = [run(train, keep, 20), run(train, keep, in_rename=True), run(train, keep, 100)]
        killed += [run(train, keep, 90), run(train, keep)]
    return {"whole": whole, "killed": killed[:-1], "last": killed[-1]}


if __name__ == "__main__":
    sys.stdout.write(json.dumps({"openly": story(openly), "privately": story(privately)}))
