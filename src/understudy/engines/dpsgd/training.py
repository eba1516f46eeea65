"""A whole private training run as one mechanism: the vault gives noisy gradients and nothing else."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from understudy.engines.dpsgd.answers import Answers
from understudy.engines.dpsgd.batches import PoissonBatches
from understudy.engines.dpsgd.capture import capture
from understudy.engines.dpsgd.gradients import PrivateGradients
from understudy.engines.dpsgd.plan import Plan
from understudy.engines.dpsgd.secret import make_secret
from understudy.engines.dpsgd.trainee import Trainee
from understudy.engines.training.checkpoint import Checkpoint, Keeper
from understudy.engines.training.game import Game
from understudy.engines.training.loop import Watch, Work, run
from understudy.engines.training.mapping import mapped
from understudy.engines.training.precision import computing, layer_generators
from understudy.engines.training.weights import Weights
from understudy.errors import ParameterError
from understudy.privacy.events import SampledGaussian
from understudy.privacy.mechanism import Columns, Mechanism, Sensitivity
from understudy.privacy.stream import KEY_BYTES, Stream

__all__ = ["NoisyTraining"]


@final
@dataclass(frozen=True)
class NoisyTraining(Mechanism):
    """DP-SGD as a read of the vault: `vault.read("training", NoisyTraining(...))` returns trained weights.

    The trainer brings a trainee (model, loss per record, settings) and a rule that turns rows into a matrix,
    each row by itself; the vault brings the rows and the stream.

    Guarantee. In each step every row is in the batch with probability plan.rate, on its own, and the sum of
    the gradients, each clipped to plan.clip, gets Gaussian noise (PrivateGradients). The weights after all
    steps, their average, and what a checkpoint holds are computed from those noisy sums and the initial
    weights alone, so they cost what the steps cost: plan.event(). The number of rows enters through the rate
    only, which is fixed before.

    Noise inside the loss. The loss draws, for each place of the batch, from a generator whose state comes
    from the stream and is never told; draws of different places are independent and of one distribution.
    Take two tables that differ in one row x, and a step's batches B and B + x under the same sampling of the
    rows that both have. Whatever place a row takes, its draws have the same distribution and do not depend
    on those of other rows; so the two worlds can be coupled such that each row of B has the same draws in
    both. Given those, the clipped sums differ by the one clipped gradient of x: the step is the Gaussian
    mechanism of the plan. What is released is a mixture of such pairs with the same weights in both worlds,
    and by joint convexity the divergence of two mixtures (hockey-stick, hence the whole trade-off curve) is
    at most that of the worst pair. With a seed that is told this fails: one row more moves all rows behind
    it to other draws, and all of their gradients with them. Layers that draw by themselves (dropout) are
    covered in the same way: the global generators are secret for the time of the training. The argument
    takes torch's generators for random; they are no ciphers, only the noise on gradients and the sampling
    come from one.

    A game. What a critic's loss is given beside a record is made by a generator whose weights are computed
    from the critic's earlier ones, and each made row from one record's levels and its own draws: as above.
    The generator learns between steps from the critic alone (`Answers`).
    """

    plan: Plan
    trainee: Trainee
    matrix: Callable[[Columns], npt.NDArray[np.float32]]

    @property
    def event(self) -> SampledGaussian:
        """What the whole run costs."""
        return self.plan.event()

    @property
    def sensitivity(self) -> Sensitivity:
        """One row is in or out; the clip bounds what it adds to any step."""
        return Sensitivity("l1", 1.0, "one row in or out, its gradient clipped in every step that it is in")

    def statistic(self, columns: Columns) -> npt.NDArray[np.float32]:
        """Return the rows as the model sees them."""
        return np.ascontiguousarray(self.matrix(columns), dtype=np.float32)

    def distance(self, left: npt.NDArray[Any], right: npt.NDArray[Any]) -> float:
        """Return how many rows must be added or removed to turn one table into the other."""
        first, second = (Counter(row.tobytes() for row in table) for table in (left, right))
        return float(sum(((first - second) + (second - first)).values()))

    def release(self, statistic: npt.NDArray[Any], stream: Stream) -> dict[str, Tensor]:
        """Train for all planned steps and return the weights; a run that was cut off is taken up."""
        trainee, plan = self.trainee, self.plan
        # A plain hash of the rows would tell whether a guessed table is right; under a key it does not.
        key = stream.child("checkpoint").take(KEY_BYTES)
        tag = hmac.new(key, statistic.tobytes(), hashlib.sha256)
        tag.update(repr((plan, trainee)).encode())
        keeper = Keeper(trainee.keep, trainee.stage, tag.hexdigest(), trainee.progress.tell)
        found = keeper.found()
        if found is None or not found.finished:
            _Training(plan, trainee, statistic, stream).run(keeper, found)
        else:
            trainee.released.load_state_dict(found.tensors)
        trainee.released.eval()
        return {name: weight.detach().clone() for name, weight in trainee.released.state_dict().items()}


@final
class _Training(Work):
    """The steps of a plan; batches, noise and draws of the loss are functions of the stream and the step."""

    def __init__(self, plan: Plan, trainee: Trainee, rows: npt.NDArray[Any], stream: Stream) -> None:
        self._plan, self._trainee, self._stream = plan, trainee, stream
        model = trainee.model.train()
        self._device = next(model.parameters()).device
        held = mapped(trainee.inputs, torch.from_numpy(np.array(rows)).to(self._device))
        self._weights = Weights(model, replace(trainee.settings, steps=plan.steps))
        self._noise = torch.Generator(self._device)
        self._answers = Answers(
            _with_critic(trainee), self._weights, replace(trainee.settings, steps=plan.steps)
        )
        self._batches = PoissonBatches(plan, [held], stream.child("batches"))
        self._gradients = PrivateGradients(model, plan, stream.child("noise"), microbatch=trainee.microbatch)
        self._steps = capture(
            self._gradients, self._batches, self._loss, self._answers, [self._noise, self._answers.noise]
        )
        self._keeper: Keeper | None = None

    def run(self, keeper: Keeper, found: Checkpoint | None) -> None:
        """Train to the end, and leave a checkpoint of that."""
        self._keeper = keeper
        start = 0 if found is None else found.step
        if found is not None:
            self._answers.load(found.tensors, start)
            self._batches.skip_to(start)
            self._gradients.skip_to(start)
        steps = range(start, self._plan.steps)
        with computing(self._trainee.settings.precision, self._device):
            # The loss is not shown: it is a mean over rows, without noise.
            run(steps, self, Watch(self._trainee.progress, self._trainee.stage, steps))
        self._answers.finish()
        state = {name: value.cpu().clone() for name, value in self._trainee.released.state_dict().items()}
        keeper.save(Checkpoint(steps.stop, finished=True, tensors=state))

    def begin(self, block: int) -> None:
        make_secret(self._noise, self._stream.child("loss", block))
        make_secret(self._answers.noise, self._stream.child("answers", block))
        for number, generator in enumerate(layer_generators(self._device)):
            make_secret(generator, self._stream.child("layers", number, block))

    def take(self) -> None:
        self._steps.step()

    def end(self, step: int) -> bool:
        if self._keeper is not None and self._keeper.due:
            self._keeper.save(Checkpoint(step, finished=False, tensors=self._answers.state()))
        return True

    def _loss(self, model: torch.nn.Module, rows: Tensor) -> Tensor:
        return self._trainee.loss(model, rows, self._noise)


def _with_critic(trainee: Trainee) -> Game | None:
    """Return the game of a trainee, if it has one; refuse a play in which no critic is shown rows."""
    if trainee.game is None or isinstance(trainee.game, Game):
        return trainee.game
    raise ParameterError(
        "NoisyTraining: no critic of this play is shown rows; its votes have a read of their own."
    )
