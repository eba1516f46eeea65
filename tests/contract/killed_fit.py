"""A fit that kills itself after so many checkpoints, as `kill -9` would: NAME RUN KILLS; prints a hash.

With 0 it is left alone. A process of its own, as nothing may be cleaned up.
"""

import hashlib
import os
import signal
import sys
from dataclasses import fields, replace

from understudy import synth
from understudy.engines.training.checkpoint import Keeper
from understudy.testing.fitting import as_bytes, fit
from understudy.testing.tables import people


def recipe_of(name):
    """Return a small recipe whose trainings take several blocks of steps."""
    small = synth.get(name).small()
    longer = {f.name: 200 for f in fields(small) if f.name in {"steps", "diffusion_steps", "noisy_steps"}}
    return replace(small, **longer)


def killing(kills):
    """Save after every block, and die after so many of the saves."""
    left, kept = [kills], Keeper.save

    def save(self, checkpoint):
        kept(self, checkpoint)
        left[0] -= 1
        if left[0] == 0 and not checkpoint.finished:
            os.kill(os.getpid(), signal.SIGKILL)

    Keeper.due = property(lambda self: self._path is not None)
    Keeper.save = save


if __name__ == "__main__":
    killing(int(sys.argv[3]))
    model = fit(recipe_of(sys.argv[1]), people(240), run=sys.argv[2])
    sys.stdout.write(hashlib.sha256(as_bytes(model.sample(50, seed=1))).hexdigest())
