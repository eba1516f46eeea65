"""A school as one mechanism: the vault keeps rows and teachers, and tells noisy counts of votes alone."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt
import safetensors.torch
import torch
from torch import Tensor

from understudy.engines.dpsgd.secret import make_secret
from understudy.engines.dpsgd.trainee import Trainee
from understudy.engines.training.checkpoint import Checkpoint, Keeper
from understudy.engines.training.game import Taught
from understudy.engines.training.loop import Watch, Work, run
from understudy.engines.training.precision import computing
from understudy.engines.training.weights import Weights
from understudy.errors import ParameterError
from understudy.privacy.discrete import discrete_gaussian
from understudy.privacy.events import DiscreteGaussian
from understudy.privacy.mechanism import Columns, Mechanism, Sensitivity
from understudy.privacy.stream import KEY_BYTES, Stream

__all__ = ["NoisyVotes"]

_SEALED, _NONCE = "sealed", "nonce"  # all that a checkpoint holds: nobody can read it without the run's key
_NONCE_BYTES = 16


@final
@dataclass(frozen=True)
class NoisyVotes(Mechanism):
    """PATE as a read of the vault: a generator and a student that heard noisy votes (Papernot et al. 2017).

    Guarantee. A row belongs to one teacher, by a rule that looks at no other row (`homes_of`); a teacher's
    weights are a function of its own rows, of made rows, and of draws that do not depend on any row. Take two
    tables that differ in one row, and the same votes told so far: made rows, student and generator are the
    same then, as they follow from what was told; so are all teachers but one. That one has one vote on each
    made row, for or against. So the count of votes for a row being real moves by at most 1, the count against
    it is what is left of the number of teachers, which is public; to tell both would tell nothing more. Each
    told count is a whole number of sensitivity 1 with discrete Gaussian noise of scale sigma. All steps
    together are steps x queries such counts, each chosen by what was told before: adaptive composition, at
    the price DiscreteGaussian(sigma, count). Nobody looks at how the votes fell to price them, and none goes
    unpriced.

    A checkpoint holds the teachers, without noise. It is written as a cipher under a key of this read's
    stream, and what is left of it when the run has ended, and the key is gone, is random bytes.
    """

    price: DiscreteGaussian
    trainee: Trainee
    matrix: Callable[[Columns], npt.NDArray[np.float32]]

    def __post_init__(self) -> None:
        planned = self.trainee.settings.steps * self.taught.queries
        if self.price.count != planned:
            raise ParameterError(f"NoisyVotes: {planned} votes at the price of {self.price.count}.")
        if self.trainee.settings.clip:
            # One norm for all would let a teacher's gradients reach the student's step.
            raise ParameterError("NoisyVotes: settings must bound no norm of all gradients; clip must be 0.")

    @property
    def taught(self) -> Taught:
        """What is played."""
        if not isinstance(self.trainee.game, Taught):
            raise ParameterError(
                "NoisyVotes: there is nobody to vote; the trainee must have a play with teachers."
            )
        return self.trainee.game

    @property
    def event(self) -> DiscreteGaussian:
        """What the whole run costs."""
        return self.price

    @property
    def sensitivity(self) -> Sensitivity:
        """One row is in or out, and with it the vote of one teacher."""
        return Sensitivity("l1", 1.0, "one row in or out: one teacher, with one vote on each made row")

    def statistic(self, columns: Columns) -> npt.NDArray[np.float32]:
        """Return the rows as teachers see them."""
        return np.ascontiguousarray(self.matrix(columns), dtype=np.float32)

    def distance(self, left: npt.NDArray[Any], right: npt.NDArray[Any]) -> float:
        """Return how many rows must be added or removed to turn one table into the other."""
        first, second = (Counter(row.tobytes() for row in table) for table in (left, right))
        return float(sum(((first - second) + (second - first)).values()))

    def told(self, votes: Tensor, stream: Stream) -> Tensor:
        """Return counts of votes with noise, from a stream that no other counts were given."""
        noise = discrete_gaussian(stream, self.price.sigma, len(votes))
        return votes + torch.from_numpy(noise).to(votes.device)

    def release(self, statistic: npt.NDArray[Any], stream: Stream) -> dict[str, Tensor]:
        """Hold all lessons and return generator and student; a run that was cut off is taken up."""
        trainee, released = self.trainee, self.taught.released
        tag = hmac.new(stream.child("checkpoint").take(KEY_BYTES), statistic.tobytes(), hashlib.sha256)
        tag.update(repr((self.price, trainee)).encode())
        keeper = Keeper(trainee.keep, trainee.stage, tag.hexdigest(), trainee.progress.tell)
        found = keeper.found()
        if found is not None and found.finished:
            released.load_state_dict(found.tensors)
        else:
            _Lessons(self, statistic, stream).run(keeper, found)
        released.eval()
        return {name: weight.detach().clone() for name, weight in released.state_dict().items()}


@final
class _Lessons(Work):
    """The steps of a school; parts, draws and noise are functions of the stream and the step's number."""

    def __init__(self, votes: NoisyVotes, rows: npt.NDArray[Any], stream: Stream) -> None:
        self._votes, self._taught, self._trainee, self._stream = votes, votes.taught, votes.trainee, stream
        both = self._taught.both.train()
        self._weights = Weights(both, votes.trainee.settings)
        self._noise = torch.Generator(self._weights.device)
        held = torch.from_numpy(np.array(rows)).to(self._weights.device)
        self._picks = self._taught.parts(held, stream.child("parts").take(KEY_BYTES))
        self._learned = list(both.parameters())
        self._at = 0
        self._keeper: Keeper | None = None

    def run(self, keeper: Keeper, found: Checkpoint | None) -> None:
        """Hold the lessons to the end, and leave a checkpoint of what may leave."""
        self._keeper = keeper
        settings = self._trainee.settings
        if found is not None:
            self._at = found.step
            self._weights.load(self._opened(found), found.step)
        steps = range(self._at, settings.steps)
        with computing(settings.precision, self._weights.device):
            # The loss is not shown: it is a mean over rows, without noise.
            run(steps, self, Watch(self._trainee.progress, self._trainee.stage, steps))
        self._weights.finish()
        state = {name: value.cpu().clone() for name, value in self._taught.released.state_dict().items()}
        keeper.save(Checkpoint(steps.stop, finished=True, tensors=state))

    def begin(self, block: int) -> None:
        make_secret(self._noise, self._stream.child("lessons", block))

    def take(self) -> None:
        rows = self._picks(self._trainee.settings.batch, self._noise)
        losses = self._taught.lesson(self._taught.both, rows, self._noise, self._told)
        gradients = torch.autograd.grad(losses.mean(), self._learned)
        for parameter, gradient in zip(self._learned, gradients, strict=True):
            parameter.grad = gradient
        self._weights.step()
        self._at += 1

    def end(self, step: int) -> bool:
        if self._keeper is not None and self._keeper.due:
            self._keeper.save(Checkpoint(step, finished=False, tensors=self._sealed(step)))
        return True

    def _told(self, votes: Tensor) -> Tensor:
        """Return what is told in this step: the only way from teachers to anybody else."""
        return self._votes.told(votes, self._stream.child("votes", self._at))

    def _sealed(self, step: int) -> dict[str, Tensor]:
        content = np.frombuffer(safetensors.torch.save(self._weights.state()), np.uint8)
        nonce = os.urandom(_NONCE_BYTES)
        kept = {
            _SEALED: content ^ self._pad(step, nonce, len(content)),
            _NONCE: np.frombuffer(nonce, np.uint8),
        }
        return {name: torch.from_numpy(part.copy()) for name, part in kept.items()}

    def _opened(self, found: Checkpoint) -> dict[str, Tensor]:
        sealed, nonce = (found.tensors[name].numpy() for name in (_SEALED, _NONCE))
        return safetensors.torch.load(
            (sealed ^ self._pad(found.step, nonce.tobytes(), len(sealed))).tobytes()
        )

    def _pad(self, step: int, nonce: bytes, size: int) -> npt.NDArray[np.uint8]:
        # A step that is taken again may end a rounding elsewhere: no pad may hide two contents.
        return np.frombuffer(self._stream.child("kept", step, nonce.hex()).take(size), np.uint8)
