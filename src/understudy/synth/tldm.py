"""TLDM and DP-TLDM: an autoencoder of rows, and a diffusion of its latents (Zhu et al. 2024, paper 000).

Without a budget the rows are read as they are. With one, `guarantee` says what is protected, and how:

- sound (default): both stages take noisy steps; `split` of what the margins leave goes to the autoencoder.
  (Adult, epsilon 3, one seed: pairs of columns are 0.093 of total variation from real ones with a split of
  0.5, and 0.087 with 0.8; the latents are close to N(0, I) by themselves, the rows are not.)
- paper: Algorithm 1 as printed. The autoencoder takes noisy steps on clipped means of batches, encoder and
  decoder apart; the diffusion is trained on encodings of the private rows without noise. The paper calls that
  post-processing of the encoder; it is not, as the rows are read again. The certificate is partial: it
  covers the autoencoder's weights, and neither the diffusion nor any table.
- decoder_only: noisy steps for the autoencoder, and latents from N(0, I). Nothing else is read.
- latent_prior: the same, and then one noisy sum: mean and covariance of the latents, drawn from a normal law.
- teacher_table: the budget buys a tree of marginals as MST does; both stages are trained on a table drawn
  from it, as long as one likes: all of that is post-processing.

Guarantee of all but `paper`, with a budget: margins and tables come from `CountTables`, choices from
`ChooseTree`, weights from `NoisyTraining`, moments from `ClippedSums`; all planned and paid for before the
first row is read. Codec, rows drawn by a teacher and what is trained on them follow from these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self, final

import numpy as np

from understudy import check
from understudy.engines.diffusion.latent_moments import Floats
from understudy.engines.generator import Generator, Matrix
from understudy.model import latent_fit, neural_fit
from understudy.model.latent_fit import LATENTS
from understudy.model.matrix_sampler import STYLE, MatrixSampler
from understudy.model.recipe import Recipe
from understudy.model.sampler import Sampler
from understudy.model.teacher import TAUGHT, Teacher
from understudy.privacy import Ask, Vault
from understudy.privacy.events import Event
from understudy.privacy.mechanism import Columns
from understudy.progress import Progress
from understudy.table.columns import modelled
from understudy.table.schema import Schema

if TYPE_CHECKING:
    from understudy.model.neural_fit import Method

__all__ = ["TLDM"]

FORMS = ("sound", "paper", "decoder_only", "latent_prior", "teacher_table")
GROUPS = ("encoder.", "decoder.")


@final
@dataclass(frozen=True)
class TLDM(Recipe):
    """An autoencoder, and a diffusion of its latents (TLDM); DP-TLDM with a budget.

    `width` and `depth` are those of encoder, decoder and denoiser; `beta` weighs the divergence of latents
    from N(0, I); `eta` and `sampling_steps` are the way back (`engines/diffusion/tldm.py`). With a budget,
    `noisy_steps` steps of each stage on a share `rate` of the rows take the place of `steps`,
    `diffusion_steps` and `batch`, and `noisy_lr` that of `lr`; `draws` is how many latents a row has in each
    of the diffusion's. `few` has no part there. `moments_share` is what the moments of `latent_prior` get of
    the autoencoder's part. A `teacher_table` has `teacher_rows` rows, its tree is estimated in
    `teacher_steps`. `precision` is that of products: `auto` is float32 on a processor, and tf32 on a device.
    """

    guarantee: str = check.choice("sound", *FORMS)
    latent: int = check.integer(16, low=1, high=1_024)
    width: int = check.integer(256, low=1, high=16_384)
    depth: int = check.integer(2, low=1, high=64)
    beta: float = check.number(1.0, low=0.0, high=1_000.0)
    numbers: str = check.choice("drawn", "drawn", "means")
    noise: str = check.choice("linear", "linear", "cosine")
    times: int = check.integer(1_000, low=1, high=100_000)
    eta: float = check.number(0.0, low=0.0, high=1.0)
    sampling_steps: int = check.integer(25, low=1, high=100_000)
    rounds: int = check.integer(2, low=0, high=1_000)
    steps: int = check.integer(2_500, low=1, high=10_000_000)
    diffusion_steps: int = check.integer(2_500, low=1, high=10_000_000)
    batch: int = check.integer(512, low=1, high=1_000_000)
    lr: float = check.number(5e-3, low=1e-7, high=1.0)
    ema: float = check.number(0.99, low=0.0, high=0.999999)
    few: int = check.integer(128, low=0, high=100_000)
    noisy_steps: int = check.integer(300, low=1, high=1_000_000)
    rate: float = check.number(0.1, low=1e-6, high=1.0)
    noisy_lr: float = check.number(5e-3, low=1e-7, high=1.0)
    draws: int = check.integer(2, low=1, high=256)
    margins_share: float = check.number(0.25, low=0.01, high=0.9)
    split: float = check.number(0.8, low=0.01, high=0.99)
    moments_share: float = check.number(0.1, low=0.01, high=0.9)
    teacher_rows: int = check.integer(50_000, low=1, high=100_000_000)
    teacher_steps: int = check.integer(500, low=1, high=1_000_000)
    device: str = check.choice("auto", "auto", "cpu", "cuda")
    precision: str = check.choice("auto", "auto", "float32", "tf32", "bf16")
    sampler: ClassVar[type[Sampler]] = MatrixSampler
    private: ClassVar[bool] = True
    resumable: ClassVar[bool] = True

    @classmethod
    def paper(cls) -> Self:
        """Return the paper's form: Algorithm 1, three layers of 256, beta 1, all 1,000 times on the way back.

        The paper prints neither steps, batches nor rates: those are ours.
        """
        return cls(guarantee="paper", depth=3, eta=1.0, sampling_steps=1_000, few=0, draws=1)

    @classmethod
    def small(cls) -> Self:
        """Return networks that a test can afford."""
        return cls(
            latent=3,
            width=12,
            depth=1,
            sampling_steps=4,
            steps=8,
            diffusion_steps=8,
            batch=64,
            noisy_steps=3,
            rate=1.0,
            draws=2,
            teacher_rows=300,
            teacher_steps=10,
        )

    def learn(
        self, vault: Vault, schema: Schema, rng: np.random.Generator, progress: Progress
    ) -> MatrixSampler:
        """Train on the rows themselves, or on a teacher's that was learned from them."""
        if self.guarantee == TAUGHT and modelled(schema):
            return self._taught(self._teacher().learned(vault, schema, progress), schema, rng, progress)
        found = neural_fit.learn_openly(partial(self.method, noisy=False), vault, schema, rng, progress)
        if self.guarantee != "latent_prior" or found.generator is None:
            return found
        law = partial(latent_fit.law_of_latents, vault)
        return replace(found, generator=_with_normal(found.generator, found.codec.encode, law))

    def asks(self, schema: Schema) -> tuple[Ask, ...]:
        """Ask for margins and noisy steps; for the moments of latents, or for a teacher's tables instead."""
        if self.guarantee == TAUGHT:
            return self._teacher().asks(schema)
        both = self.guarantee == "sound"
        share, why = self.split if both else 1.0, neural_fit.OF_A_BATCH if self.guarantee == "paper" else ""
        stages = {"autoencoder": neural_fit.Stage(share, self.noisy_steps, self.rate, because=why)}
        if both:
            stages["diffusion"] = neural_fit.Stage(1 - self.split, self.noisy_steps, self.rate)
        wanted = neural_fit.asks(schema, stages, self.margins_share)
        if self.guarantee != "latent_prior" or not wanted:
            return wanted
        *margins, training = wanted
        told = "mean and covariance of the latents"
        moments = Ask(LATENTS, told, "measure", "sums", training.share, columns=training.columns)
        return (*margins, training.scaled(1 - self.moments_share), moments.scaled(self.moments_share))

    def learn_privately(
        self,
        vault: Vault,
        schema: Schema,
        events: dict[str, Event],
        rng: np.random.Generator,
        progress: Progress,
    ) -> MatrixSampler:
        """Train in the form of `guarantee`."""
        if self.guarantee == TAUGHT and modelled(schema):
            tree = self._teacher().learned_privately(vault, schema, events, progress)
            return self._taught(tree, schema, rng, progress)
        if self.guarantee in ("sound", "decoder_only"):
            method = self._privately
            return neural_fit.learn_privately(method, vault, schema, events, rng=rng, progress=progress)
        bought = neural_fit.buy(vault, schema, events)
        if not bought.codec.slots:
            return bought.sampler(None)
        made, seed = self._privately(), int(rng.integers(2**63))
        if self.guarantee == "paper":
            found = latent_fit.learn_partly(made, vault, events, bought, progress=progress, seed=seed)
            return bought.sampler(found)
        fit = neural_fit.private_fit(made, vault, events, bought, progress)
        learned = made.learner.learn(bought.fields, fit, seed)
        law = partial(latent_fit.law_of_latents, vault, rows=bought.rows, price=events[LATENTS])
        return bought.sampler(_with_normal(learned, bought.rule, law))

    def _teacher(self) -> Teacher:
        return Teacher(self.teacher_rows, self.teacher_steps)

    def _taught(
        self, tree: Sampler, schema: Schema, rng: np.random.Generator, progress: Progress
    ) -> MatrixSampler:
        method = partial(self.method, noisy=False)
        return self._teacher().teach(method, tree, schema, rng=rng, progress=progress)

    def method(self, *, noisy: bool) -> Method:
        """Return the learner and how its stages are trained: what a federation builds on."""
        if noisy:
            return self._privately()
        return self._method(1, (self.steps, self.diffusion_steps), self.lr, self.ema)

    def _privately(self) -> Method:
        from understudy.engines.training.privately import Clipping

        second = self.diffusion_steps if self.guarantee == "paper" else self.noisy_steps
        # A noisy training is short: an average over its last few dozen steps is what pays.
        made = self._method(self.draws, (self.noisy_steps, second), self.noisy_lr, min(self.ema, 0.99))
        if self.guarantee != "paper":
            return made
        settings = dict(made.settings) | {"diffusion": self.method(noisy=False).settings["diffusion"]}
        return replace(made, settings=settings, clipping={"autoencoder": Clipping("batch", GROUPS)})

    def _method(self, draws: int, steps: tuple[int, int], lr: float, ema: float) -> Method:
        from understudy.engines.diffusion.tldm import Noise, TldmLearner
        from understudy.engines.nets.vae import VaeSize
        from understudy.engines.training.fit import Settings

        kind: Any = self.noise
        precision: Any = self.precision
        without = self.guarantee in ("decoder_only", "latent_prior")
        learner = TldmLearner(
            VaeSize(self.latent, self.width, self.depth),
            (self.width, self.depth),
            None if without else Noise(kind, self.times, self.sampling_steps, self.eta),
            self.beta,
            draws,
            self.numbers == "means",
            self.rounds,
        )
        stages = dict(zip(("autoencoder", "diffusion"), steps, strict=True))
        settings = {
            name: Settings(
                count,
                self.batch,
                lr,
                schedule="cosine",
                warmup=min(100, count // 10),
                ema=ema,
                precision=precision,
            )
            for name, count in stages.items()
        }
        return neural_fit.Method(learner, settings, self.device, style=replace(STYLE, few=self.few))


def _with_normal(
    generator: Generator,
    rule: Callable[[Columns], Matrix],
    law: Callable[[Callable[[Columns], Matrix], int], tuple[Floats, Floats]],
) -> Generator:
    """Return the generator with latents from a normal law, which is found from what it encodes rows to."""
    from understudy.engines.diffusion.tldm import TldmGenerator

    assert isinstance(generator, TldmGenerator), "what a learner of this method returns"
    made = generator
    return made.with_normal(*law(lambda rows: made.posteriors(rule(rows)), made.vae.size.latent))
