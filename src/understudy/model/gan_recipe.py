"""What recipes of adversarial networks share: how long they are trained, and the two ways they are played."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from understudy import check
from understudy.errors import ParameterError
from understudy.model import neural_fit
from understudy.model.matrix_sampler import STYLE
from understudy.model.network_recipe import NetworkRecipe

if TYPE_CHECKING:
    from understudy.codec import Style
    from understudy.engines.gan.duel import Rules
    from understudy.engines.training.privately import Clipping
    from understudy.model.neural_fit import Method

__all__ = ["GanRecipe"]

STAGE = "critic"
_BETAS = (0.5, 0.9)  # of all these methods: a critic changes under the generator's feet


class GanRecipe(NetworkRecipe):
    """A recipe whose generator and critic are trained as one stage, whose price is the critic's."""

    loss: str
    penalty: float
    temperature: float
    norm: str
    latent: int
    width: int
    depth: int
    pac: int
    dropout: float
    weight_decay: float
    few: int
    device: str
    moments: float = 0.0
    schedule: str = "constant"
    federates: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check.validate(self)
        if self.batch % self.pac:
            raise ParameterError(
                f"{self.name()}: batch must be a multiple of pac; got {self.batch} and {self.pac}."
            )
        if self.batch == 1 and self.norm == "batch":
            raise ParameterError(
                f"{self.name()}: a norm over a batch of 1 leaves nothing to learn from; "
                'take a larger batch, or norm="layer".'
            )

    @abstractmethod
    def numbers(self) -> str:
        """Return how quantities are written in the open: as "modes", or as "quantile_normal" ranks."""

    def logs(self) -> bool:
        """Whether levels are asked for by the log of their counts, in the open."""
        return False

    def rules(self, *, noisy: bool) -> Rules:
        """Return the losses and networks of the game; within a budget those that look at one row."""
        from understudy.engines.gan.duel import Rules
        from understudy.engines.gan.networks import Size

        loss: Any = self.loss
        norm: Any = self.norm
        if noisy:
            size = Size(self.latent, self.width, self.depth, "layer" if norm == "batch" else norm)
            return Rules("logistic", 0.0, self.temperature, bounded=False, logs=False, size=size)
        size = Size(self.latent, self.width, self.depth, norm, self.pac, self.dropout)
        bounded = self.numbers() == "modes"
        rules = Rules(loss, self.penalty, self.temperature, bounded=bounded, logs=self.logs(), size=size)
        return replace(rules, moments=self.moments)

    def clipping(self) -> Clipping | None:
        """Return how the critic's gradients are clipped within a budget; None: each record's by itself."""
        return None

    def stages(self) -> dict[str, float]:
        """One game, of which the critic alone has a price."""
        return {STAGE: 1.0}

    def batches(self, rows: int) -> int:
        """Return how many full batches there are, as in CTGAN."""
        return max(1, rows // self.batch)

    def method(self, *, noisy: bool) -> Method:
        """Return the learner and how it is trained."""
        from understudy.engines.gan.gan import GanLearner
        from understudy.engines.training.fit import Settings

        steps, lr, ema = self.pace(noisy=noisy)
        schedule: Any = "constant" if noisy else self.schedule
        settings = Settings(
            steps,
            self.batch,
            lr,
            optimizer="adam",
            betas=_BETAS,
            weight_decay=self.weight_decay,
            schedule=schedule,
            ema=ema,
        )
        learner, clipping = GanLearner(self.rules(noisy=noisy), self.batch), self.clipping()
        clips = {} if clipping is None else {STAGE: clipping}
        return neural_fit.Method(learner, {STAGE: settings}, self.device, clips, self._style())

    def _style(self) -> Style:
        return replace(STYLE, numbers=self.numbers(), few=self.few)
