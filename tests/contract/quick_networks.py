"""A small table of two halves, two recipes of every network, and how well each must know the table."""

from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import pyarrow as pa

from understudy.model.recipe import Recipe
from understudy.synth.adsgan import ADSGAN
from understudy.synth.copulagan import CopulaGAN
from understudy.synth.ctgan import CTGAN
from understudy.synth.findiff import FinDiff
from understudy.synth.nflow import NFlow
from understudy.synth.pategan import PATEGAN
from understudy.synth.tabddpm import TabDDPM
from understudy.synth.tabdiff import TabDiff
from understudy.synth.tablediffusion import TableDiffusion
from understudy.synth.tabsyn import TabSyn
from understudy.synth.tldm import TLDM
from understudy.synth.tvae import TVAE
from understudy.table.schema import Schema
from understudy.table.table import Table

SHARE, GAPS = 0.4, 0.1
COUNTS = {0, 1, 2, 7, 8, 9}


def halves(rows=1_500, seed=0):
    """Two halves that a word, a number and a count agree on; what is spent overlaps, and has gaps."""
    rng = np.random.default_rng(seed)
    second = rng.random(rows) < SHARE
    spent = np.where(second, rng.gamma(9, 20, rows), rng.gamma(2, 10, rows)).round(2)
    return pa.table(
        {
            "word": np.where(second, "b", "a"),
            "number": np.where(second, 5.0, 1.0) + 0.3 * rng.normal(size=rows),
            "count": rng.integers(0, 3, rows) + 7 * second,
            "spent": pa.array(spent, mask=rng.random(rows) < GAPS),
        }
    )


def rare(rows=1_500, share=0.015):
    """The two halves, of whose second one some rows have a word of their own."""
    table = halves(rows)
    words = table["word"].to_numpy().astype(object)
    words[np.flatnonzero(words == "b")[: round(share * rows)]] = "c"
    return table.set_column(0, "word", pa.array(words, pa.string()))


def declared(table):
    return Schema.infer(Table(table)).declare()


@dataclass(frozen=True)
class Network:
    """A recipe that learns the table in about a second, its stages, and what is demanded of what it draws.

    `share` is how far that of a half may be off, `gaps` that of the gaps. The others are how many of the
    numbers, of the counts, of what is drawn beside a given cell and of what is filled in must belong to the
    half of their row. `kept` is what a private recipe has of this one.
    """

    recipe: Recipe
    stages: tuple[str, ...] = ("denoiser",)
    share: float = 0.05
    gaps: float = 0.05
    number: float = 0.9
    count: float = 0.95
    given: float = 0.9
    filled: float = 0.93
    kept: dict[str, str] = field(default_factory=dict)

    @property
    def private(self):
        """Return a small recipe with full batches, where there are any: their price is quickly found."""
        small = type(self.recipe).small()
        return replace(small, **({"rate": 1.0} if hasattr(small, "rate") else {}), **self.kept)


TABDDPM = TabDDPM(
    layers="64,64", entry=32, times=100, sampling_steps=25, steps=300, batch=256, lr=2e-2, ema=0.97
)
TABSYN = TabSyn(
    width=64, depth=1, steps=200, diffusion_steps=300, batch=256, lr=1e-2, ema=0.97, sampling_steps=20
)
LATENT = TLDM(
    latent=4,
    width=32,
    depth=1,
    beta=0.1,
    steps=600,
    diffusion_steps=500,
    lr=1e-2,
    batch=128,
    sampling_steps=20,
)
BOTH, CRITIC = ("autoencoder", "diffusion"), ("critic",)
GAME = {
    "latent": 16,
    "width": 48,
    "steps": 800,
    "batch": 200,
    "lr": 2e-3,
    "pac": 1,
    "dropout": 0.0,
    "norm": "layer",
    "ema": 0.97,
}
SCHOOL = PATEGAN(latent=16, width=48, steps=800, lr=2e-3, ema=0.97, memory=12_000, alone=0.0)
AUTOENCODER = TVAE(latent=4, width=48, depth=1, loss_factor=2.0, steps=600, batch=128, lr=1e-2)
NETWORKS = {
    # Ranks hide the empty space between the halves of the number; 0.86, 0.89 and 0.92 are on the right side.
    "tabdiff": Network(
        TabDiff(width=48, depth=1, steps=500, batch=128, lr=1e-2, ema=0.97, sampling_steps=16), number=0.8
    ),
    "findiff": Network(
        FinDiff(width=48, depth=1, steps=250, batch=128, lr=1e-2, ema=0.97, sampling_steps=20), number=0.85
    ),
    "tablediffusion": Network(
        TableDiffusion(width=48, steps=200, batch=128, lr=1e-2, ema=0.97), share=0.06, number=0.85
    ),
    "tabddpm": Network(TABDDPM),
    "tabddpm, a label": Network(replace(TABDDPM, label="word"), kept={"label": "word"}),
    "tabsyn": Network(TABSYN, BOTH, number=0.93),
    # Four coordinates hold a row: 0.95 of the counts are on the right side.
    "tldm": Network(LATENT, BOTH, count=0.9),
    # Latents of N(0, I) also fall between the halves: 0.92 of numbers and counts are on the right side.
    "tvae": Network(AUTOENCODER, BOTH[:1], number=0.85, count=0.87, given=0.85),
    "tvae, modes": Network(
        replace(AUTOENCODER, numbers="modes", spread="column"), BOTH[:1], number=0.9, count=0.88, given=0.85
    ),
    "nflow": Network(NFlow(width=32, depth=1, bins=8, steps=200, batch=256, lr=1e-2), ("flow",)),
    "ctgan": Network(CTGAN(**GAME), CRITIC),
    "copulagan": Network(CopulaGAN(**GAME), CRITIC),
    # Votes say that a row looks real, and not how often there should be such: a half comes out as 0.27.
    # How arithmetic is rounded decides what a short school learns: 5 and 13 % gaps with one thread and two.
    "pategan": Network(SCHOOL, ("student",), share=0.15, gaps=0.08, number=0.83),
    "adsgan": Network(ADSGAN(**GAME, apart=0.02), CRITIC),
    "adsgan, the paper's": Network(ADSGAN(**GAME, apart=0.02, identifiability="paper"), CRITIC, filled=0.9),
}


@cache
def fitted(name):
    return NETWORKS[name].recipe.fit(halves(), seed=0, progress=False)
