"""TabDDPM: Gaussian and multinomial diffusion by one perceptron (Kotelnikov et al. 2023).

Numbers of few distinct values are levels here; all other numbers go through ranks. What else differs from the
published code stands in `engines/diffusion/tabddpm.py`, and `paper()` has that code's own settings.

Guarantee, with a budget: margins come from `CountTables`, the weights from `NoisyTraining`, both planned and
paid for before the first row is read. Codec, first guesses, shares of labels and rows follow from these.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Self, final

from understudy import check
from understudy.errors import ParameterError
from understudy.model import neural_fit
from understudy.model.matrix_sampler import STYLE
from understudy.model.network_recipe import NetworkRecipe
from understudy.table.columns import modelled
from understudy.table.schema import LEVEL_KINDS, Schema

if TYPE_CHECKING:
    from understudy.model.neural_fit import Method

__all__ = ["TabDDPM"]

STAGE = "denoiser"
WIDEST = 65_536  # of a hidden layer


@final
@dataclass(frozen=True)
class TabDDPM(NetworkRecipe):
    """One network that takes noise from numbers and levels, given a label if there is one (TabDDPM).

    `label` names a column of levels that the rest is learned and drawn given; `layers` are the widths of the
    hidden layers, such as "256,1024,256". What the other settings of network, noise and loss mean stands with
    `TabDDPMLearner`. With a budget, `noisy_steps` steps on a share `rate` of the rows take the place of
    `steps` and `batch`, and `noisy_lr` that of `lr`; `draws` is how often a row is noised in each of them.
    `few` has no part there.

    With `guarantee` "teacher_table" a tree of marginals reads the rows, within the budget, and the network is
    trained as in the open on `teacher_rows` rows that it draws (its tree estimated in `teacher_steps`).
    `precision` is that of products: `auto` is float32 on a processor, and tf32 on a device.
    """

    label: str = check.text("")
    hide: float = check.number(0.1, low=0.0, high=0.9)
    layers: str = check.text("256,256")
    entry: int = check.integer(128, low=1, high=WIDEST)
    noise: str = check.choice("cosine", "cosine", "linear")
    times: int = check.integer(1_000, low=1, high=100_000)
    predicts: str = check.choice("v", "v", "eps")
    loss_of_codes: str = check.choice("cross_entropy", "cross_entropy", "kl")
    balance: str = check.choice("columns", "columns", "kinds")
    reverse: str = check.choice("mixture", "mixture", "plugged")
    eta: float = check.number(1.0, low=0.0, high=1.0)
    sampling_steps: int = check.integer(30, low=1, high=100_000)
    again: int = check.integer(2, low=1, high=100)
    steps: int = check.integer(4_000, low=1, high=10_000_000)
    batch: int = check.integer(512, low=1, high=1_000_000)
    lr: float = check.number(2e-3, low=1e-7, high=1.0)
    ema: float = check.number(0.999, low=0.0, high=0.999999)
    few: int = check.integer(128, low=0, high=100_000)
    noisy_steps: int = check.integer(300, low=1, high=1_000_000)
    rate: float = check.number(0.1, low=1e-6, high=1.0)
    noisy_lr: float = check.number(5e-3, low=1e-7, high=1.0)
    draws: int = check.integer(4, low=1, high=256)
    margins_share: float = check.number(0.25, low=0.01, high=0.9)
    guarantee: str = check.choice("sound", "sound", "teacher_table")
    teacher_rows: int = check.integer(50_000, low=1, high=100_000_000)
    teacher_steps: int = check.integer(500, low=1, high=1_000_000)
    device: str = check.choice("auto", "auto", "cpu", "cuda")
    precision: str = check.choice("auto", "auto", "float32", "tf32", "bf16")

    def __post_init__(self) -> None:
        check.validate(self)
        _widths(self.layers)
        if self.reverse == "plugged" and self.sampling_steps < self.times:
            raise ParameterError(
                f"TabDDPM: reverse 'plugged' visits all times; got sampling_steps {self.sampling_steps} of "
                f"{self.times}. Set sampling_steps to times, or reverse to 'mixture'."
            )

    @classmethod
    def paper(cls) -> Self:
        """Return the published settings for Adult: a wide network, the bound, and all times on the way."""
        return cls(
            hide=0.0,
            layers="256,1024,1024,1024,1024,256",
            predicts="eps",
            loss_of_codes="kl",
            balance="kinds",
            reverse="plugged",
            sampling_steps=1_000,
            again=1,
            steps=30_000,
            batch=4_096,
            few=0,
            draws=1,
        )

    @classmethod
    def small(cls) -> Self:
        """Return a network that a test can afford."""
        return cls(
            layers="16", entry=16, steps=12, batch=64, sampling_steps=4, again=1, noisy_steps=4, draws=2
        )

    def refuse_unfit(self, schema: Schema) -> None:
        """Refuse a label that is no column of levels, or the only one."""
        _refuse_unfit_label(self.label, schema)

    def stages(self) -> dict[str, float]:
        """One network, trained once."""
        return {STAGE: 1.0}

    def method(self, *, noisy: bool) -> Method:
        """Return the learner and how it is trained."""
        from understudy.engines.diffusion.tabddpm import TabDDPMLearner
        from understudy.engines.training.fit import Settings

        shared = {field.name for field in fields(TabDDPMLearner)} - {"layers", "draws"}
        told = {name: getattr(self, name) for name in shared}
        learner = TabDDPMLearner(layers=_widths(self.layers), draws=self.draws if noisy else 1, **told)
        steps, lr, ema = self.pace(noisy=noisy)
        precision: Any = self.precision
        settings = Settings(steps, self.batch, lr, schedule="linear", ema=ema, precision=precision)
        style = replace(STYLE, few=self.few)
        return neural_fit.Method(learner, {STAGE: settings}, self.device, style=style)


def _widths(layers: str) -> tuple[int, ...]:
    parts = [part.strip() for part in layers.split(",")]
    if not all(part.isdecimal() and 1 <= int(part) <= WIDEST for part in parts):
        raise ParameterError(
            f"TabDDPM: layers must be widths of 1 to {WIDEST:,} with commas between, as in '256,1024,256'; "
            f"got {layers!r}."
        )
    return tuple(int(part) for part in parts)


def _refuse_unfit_label(label: str, schema: Schema) -> None:
    columns = modelled(schema)
    if not label or not columns:
        return
    fit = [column.name for column in columns if column.kind in LEVEL_KINDS]
    if label not in fit or len(columns) < 2:
        told = ", ".join(map(repr, fit)) if len(columns) > 1 else "none, as there is nothing else to learn"
        raise ParameterError(
            f"TabDDPM: label must be a column of levels beside others; got {label!r}; the table has {told}."
        )
