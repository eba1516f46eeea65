"""Networks on the codec's matrix, learned in the open or within a budget: the same method either way.

A recipe brings a `Method`: a learner, the settings of its stages, and where to train. What differs is the fit
that the learner is given: `OpenFit` has the rows, `PrivateFit` one planned read of the vault for each stage.
Torch is loaded here, when something is fitted, and never before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, final

import numpy as np

from understudy.codec import Codec, Style, plan
from understudy.engines.fields import Fields
from understudy.engines.generator import Generator
from understudy.engines.learner import Learner
from understudy.model import noisy_margins
from understudy.model.binned import Binned
from understudy.model.evening import Evening, fields_of
from understudy.model.matrix_sampler import STYLE, MatrixSampler
from understudy.model.private_codec import Rule, codec_of, rule_of, shares_of
from understudy.model.torch_extra import require_torch
from understudy.privacy import Ask, Vault
from understudy.privacy.events import Event
from understudy.progress import Progress
from understudy.table.columns import modelled
from understudy.table.schema import Schema

if TYPE_CHECKING:
    from understudy.engines.training.fit import Settings
    from understudy.engines.training.privately import Clipping, PrivateFit

__all__ = [
    "OF_A_BATCH",
    "Bought",
    "Method",
    "Stage",
    "asks",
    "bought_of",
    "buy",
    "learn_openly",
    "learn_privately",
]
__all__ += ["private_fit", "read_name"]

_TOLD = {"steps": "noisy gradients of {}", "votes": "noisy votes of teachers that a {} is told"}


@final
@dataclass(frozen=True)
class Method:
    """A learner, the settings of its stages, the device ("auto", "cpu" or "cuda"), and how stages clip.

    `style` is how rows are written in the open: with codes and flags, never one-hot.
    """

    learner: Learner
    settings: Mapping[str, Settings]
    device: str = "auto"
    clipping: Mapping[str, Clipping] | None = None
    style: Style = STYLE


OF_A_BATCH: Final = (
    "the mean gradient of a batch is clipped to a fixed length, in each part of the network by itself; one "
    "row moves it by at most twice that"
)


class Stage(NamedTuple):
    """What a stage of a private training is worth and takes: its share, its steps, the rate of sampling.

    A stage of votes takes no noisy steps: `steps` is how many votes are taken in all. `because` is why one
    row moves what is told so little, where it is not for the usual reason.
    """

    share: float
    steps: int
    rate: float
    form: Literal["steps", "votes"] = "steps"
    because: str = ""


def learn_openly(
    method: Callable[[], Method], vault: Vault, schema: Schema, rng: np.random.Generator, progress: Progress
) -> MatrixSampler:
    """Open the vault, encode its rows and train on them; `method` may load torch."""
    if not modelled(schema):
        return MatrixSampler(Codec(()), None)
    require_torch("fit")
    from understudy.engines.training.openly import OpenFit

    made = method()
    codec = plan(schema, made.style).fit(vault, rng)
    columns = vault.open("training of networks on all rows")
    matrix = codec.encode(columns, rng)
    seed = _seed(rng)
    fit = OpenFit(matrix, made.settings, seed, progress, keep=progress.keep, device=made.device)
    learned = made.learner.learn(fields_of(codec.layout).seen(matrix), fit, seed)
    return MatrixSampler(codec, learned, evening=Evening.seen(codec, columns, matrix))


def asks(schema: Schema, stages: Mapping[str, Stage], margins_share: float = 0.2) -> tuple[Ask, ...]:
    """Ask for the margins that the codec is made of, and for the steps of every stage.

    The shares of stages count among themselves: together they get what the margins leave.
    """
    names = tuple(column.name for column in modelled(schema))
    if not names:
        return ()
    require_torch("fit")  # before anything is paid for
    part = (1 - margins_share) / sum(stage.share for stage in stages.values())
    trainings = (
        Ask(
            read_name(name),
            _TOLD[stage.form].format(name),
            "train",
            stage.form,
            part * stage.share,
            stage.steps,
            stage.rate,
            columns=names,
            because=stage.because,
        )
        for name, stage in stages.items()
    )
    return (*noisy_margins.asks(schema, margins_share), *trainings)


def learn_privately(
    method: Callable[[], Method],
    vault: Vault,
    schema: Schema,
    events: Mapping[str, Event],
    *,
    rng: np.random.Generator,
    progress: Progress,
) -> MatrixSampler:
    """Buy margins, make the codec of them, and train each stage through one planned read of the vault."""
    bought = buy(vault, schema, events)
    if not bought.codec.slots:
        return bought.sampler(None)
    made, seed = method(), _seed(rng)
    fit = private_fit(made, vault, events, bought, progress)
    return bought.sampler(made.learner.learn(bought.fields, fit, seed))


@final
@dataclass(frozen=True, eq=False)
class Bought:
    """What noisy margins make: a codec, its fields, the map of rows to its matrix, about how many rows."""

    codec: Codec
    fields: Fields
    rule: Rule
    rows: float

    def sampler(self, learned: Generator | None) -> MatrixSampler:
        """Return the sampler of what was learned with it."""
        return MatrixSampler(self.codec, learned, round(self.rows), Evening(self.fields.shares))


def buy(vault: Vault, schema: Schema, events: Mapping[str, Event]) -> Bought:
    """Buy the margins of all columns, and make of them what networks need."""
    return bought_of(noisy_margins.buy(vault, schema, dict(events)), schema)


def bought_of(binned: Binned, schema: Schema) -> Bought:
    """Return what margins make of a schema; they were told before, so this costs nothing."""
    codec = codec_of(binned, schema)
    fields = replace(fields_of(codec.layout), shares=shares_of(codec, binned))
    return Bought(codec, fields, rule_of(codec, binned), binned.rows)


def private_fit(
    method: Method, vault: Vault, events: Mapping[str, Event], bought: Bought, progress: Progress
) -> PrivateFit:
    """Return the fit that reads the vault once for each stage of a method that was planned."""
    from understudy.engines.training.privately import PrivateFit

    return PrivateFit(
        lambda stage, mechanism: vault.read(read_name(stage), mechanism),
        {name: events[read_name(name)] for name in method.learner.stages if read_name(name) in events},
        method.settings,
        bought.rule,
        bought.rows,
        progress=progress,
        keep=progress.keep,
        device=method.device,
        clipping=method.clipping,
    )


def read_name(stage: str) -> str:
    """Return the name under which the vault is read for a stage.

    >>> read_name("denoiser")
    'training.denoiser'
    """
    return f"training.{stage}"


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**63))
