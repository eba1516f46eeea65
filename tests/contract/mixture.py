"""A small mixture whose law is known, the learners that must recover it, and how far off each may be."""

from dataclasses import dataclass, fields as fields_of, replace
from functools import cache

import numpy as np

from understudy.engines.diffusion.findiff import FinDiffLearner
from understudy.engines.diffusion.tabddpm import TabDDPMLearner
from understudy.engines.diffusion.tabdiff import TabDiffLearner
from understudy.engines.diffusion.tablediffusion import TableDiffusionLearner
from understudy.engines.diffusion.tabsyn import NetworkSize, TabSynLearner
from understudy.engines.diffusion.tldm import Noise, TldmLearner
from understudy.engines.fields import Fields
from understudy.engines.flows.couplings import FlowShape
from understudy.engines.flows.nflow import NflowLearner
from understudy.engines.gan.duel import Rules
from understudy.engines.gan.gan import GanLearner
from understudy.engines.gan.networks import Size
from understudy.engines.nets.token_vae import TokenSize
from understudy.engines.nets.vae import VaeSize
from understudy.engines.pate.school import Teaching
from understudy.engines.training.fit import Settings
from understudy.engines.training.openly import OpenFit

WORD, NUMBER, SIDE = range(3)
FIELDS = Fields((NUMBER,), (WORD, SIDE), (3, 2), names=("word", "side"))
CENTRES, SPREAD, SHARE = (-1.0, 1.0), 0.3, 0.3

FEWER = {"sampling_steps": 5, "again": 2, "rounds": 1}

SHAPES = {
    "numbers": Fields((0, 1), (), ()),
    "codes": Fields((), (0, 1), (4, 1), names=("word", "one")),
    "one number": Fields((0,), (), ()),
    "one level": Fields((), (0,), (1,), names=("word",)),
}


def mixture(rows=2_000, seed=0):
    """Two sides: word 0 and a number near -1; or word 1 or 2, as often, and a number near 1."""
    rng = np.random.default_rng(seed)
    side = rng.random(rows) < SHARE
    word = np.where(side, rng.integers(1, 3, rows), 0)
    number = np.where(side, CENTRES[1], CENTRES[0]) + SPREAD * rng.normal(size=rows)
    return np.stack([word, number, side], 1).astype(np.float32)


def any_rows(fields, rows=64):
    """Return rows of these fields in which nothing depends on anything."""
    rng = np.random.default_rng(0)
    found = rng.normal(size=(rows, fields.width))
    for at, size in zip(fields.codes, fields.sizes, strict=True):
        found[:, at] = rng.integers(0, size, rows)
    return found.astype(np.float32)


@dataclass(frozen=True)
class Demand:
    """How far what is drawn may be from the truth, and how much of it must fit what is known."""

    share: float = 0.04
    coherent: float = 0.97
    even: float = 0.1
    mean: float = 0.1
    spread: float = 0.12
    by_word: float = 0.9
    by_side: float = 0.9
    by_number: float = 0.9


@dataclass(frozen=True)
class Way:
    """A learner, how long each stage is trained, and what is demanded of it then; `quick` is for every day.

    Without steps nothing is demanded of the law of what is drawn. Methods of two stages are long to train:
    every day only their recipes are (`quick_networks`).
    """

    learner: object
    steps: int = 0
    demand: Demand = Demand()
    quick: int = 0
    stages: tuple[str, ...] = ("denoiser",)
    lr: float = 5e-3


BOTH = ("autoencoder", "diffusion")
FINDIFF = FinDiffLearner(width=64, depth=1, sampling_steps=30, again=10)
NEAREST = FinDiffLearner(
    "random", 2, "nearest", "eps", "plain", width=64, depth=2, sampling_steps=100, eta=1.0, wide=True
)
LAW = TableDiffusionLearner(width=64, depth=2, rounds=3)
TABDDPM = TabDDPMLearner(layers=(64, 64), entry=32, times=100, sampling_steps=25, again=10)
PLUGGED = replace(
    TABDDPM, reverse="plugged", loss_of_codes="kl", balance="kinds", hide=0.0, times=5, sampling_steps=5
)
TABSYN = TabSynLearner(TokenSize(feed=4), NetworkSize("residual", 64, 1), falling=300, sampling_steps=20)
PLAIN = replace(TABSYN, network=NetworkSize("plain", 32, 2), churn=1.0, drawn=False)
TLDM = TldmLearner(VaeSize(3, 32, 1), (32, 1), Noise(steps=15), beta=0.3)
TVAE = TldmLearner(VaeSize(3, 32, 1, "relu", "column"), noise=None, beta=0.5)

# Where a method is weaker than most, what was found is beside what is demanded.
WIDE = Demand(spread=0.18, by_word=0.95, by_side=0.95, by_number=0.95)  # numbers spread by 0.37 and 0.45
WALKING = Demand(by_number=0.8)  # 0.87 of the words fit a number
LATE = Demand(by_word=0.6, by_side=0.6)  # 0.72 fit a word: noised codes tell late (`test_samplers`)
LABELLED = Demand(by_side=0.6)  # so does a code that is no label: 0.58 after 200 steps
EXACT = Demand(even=0.08, spread=0.05)
SMOOTH = Demand(spread=0.15)  # what goes to a mean is too smooth: 0.2
LATENT = Demand(spread=0.15)  # 0.41
HASTY = Demand(spread=0.15, by_side=0.7)  # 0.41, and 0.78 of the numbers fit a side
# Three coordinates for all columns: 0.35 and 0.4.
NARROW = Demand(share=0.06, mean=0.12, spread=0.18, by_side=0.95, by_number=0.95)
# Normal latents also fall between the sides: numbers at -0.89 and 0.8, spread by 0.44 and 0.51.
SMEARED = Demand(share=0.06, coherent=0.9, mean=0.3, spread=0.3, by_word=0.85, by_side=0.85, by_number=0.85)
SPLINED = Demand(spread=0.1)  # 0.35

WAYS = {
    "tabdiff": Way(TabDiffLearner(width=48, depth=1, sampling_steps=24), 600, WIDE, quick=250),
    "findiff": Way(FINDIFF, 500, WALKING, quick=200),
    "findiff, learned points": Way(replace(FINDIFF, embedding="learned"), 500, WALKING),
    "findiff, the paper's": Way(NEAREST, 500),
    "tablediffusion": Way(LAW, 500, EXACT, quick=150),
    "tablediffusion, to a mean": Way(replace(LAW, mode="denoise"), 500, SMOOTH),
    "tablediffusion, to noise": Way(replace(LAW, mode="noise"), 500, SMOOTH),
    "tabddpm": Way(TABDDPM, 700, LATE, quick=200),
    "tabddpm, a label": Way(replace(TABDDPM, label="word"), 700, LABELLED),
    "tabddpm, the paper's": Way(PLUGGED),
    "tabsyn": Way(TABSYN, 400, LATENT, stages=BOTH),
    "tabsyn, the paper's": Way(PLAIN, 400, HASTY, stages=BOTH),
    "tldm": Way(TLDM, 700, NARROW, stages=BOTH, lr=1e-2),
    "tldm, normal latents": Way(replace(TLDM, noise=None), stages=BOTH[:1]),
    "tvae": Way(TVAE, 700, SMEARED, stages=BOTH[:1], lr=1e-2),
    "nflow": Way(NflowLearner(FlowShape(32, 1, 8)), 300, SPLINED, quick=100, stages=("flow",)),
}
GAME = Rules(bounded=False, size=Size(8, 32, 2, "layer"))
WAYS |= {
    "gan": Way(GanLearner(GAME), stages=("critic",)),
    "gan, packs and batch norm": Way(
        GanLearner(replace(GAME, size=Size(8, 16, 1, "batch", 4, 0.5))), stages=("critic",)
    ),
    "gan, taught": Way(
        GanLearner(replace(GAME, loss="logistic", penalty=0.0, logs=False), 20, Teaching(4, memory=40)),
        stages=("student",),
    ),
    "gan, given rows": Way(
        GanLearner(replace(GAME, loss="logistic", apart=0.1, given=True, asks=False)), stages=("critic",)
    ),
}
STRICT = [name for name, way in WAYS.items() if way.steps]
QUICK = [name for name, way in WAYS.items() if way.quick]


def shortened(demand):
    """Return what is demanded after a training that is over before its end."""
    return Demand(
        share=demand.share + 0.03,
        coherent=demand.coherent - 0.02,
        even=demand.even + 0.05,
        mean=demand.mean + 0.05,
        spread=demand.spread + 0.1,
        by_word=demand.by_word - 0.1,
        by_side=demand.by_side - 0.1,
        by_number=demand.by_number - 0.05,
    )


def learned(learner, stages, settings, matrix, fields=FIELDS):
    fit = OpenFit(matrix, dict.fromkeys(stages, settings), 0, device="cpu")
    return learner.learn(fields.seen(matrix), fit, 0)


@cache
def barely(way):
    return begun(way, mixture(64))


def begun(way, rows, fields=FIELDS):
    """Return a generator that has hardly begun to learn and takes few steps: some things hold at any time."""
    learner = WAYS[way].learner
    fewer = {each.name: FEWER[each.name] for each in fields_of(learner) if each.name in FEWER}
    return learned(replace(learner, **fewer), WAYS[way].stages, Settings(3, 16), rows, fields)


def trained(way, steps, lr, ema):
    settings = Settings(steps, 256, lr, schedule="cosine", ema=ema)
    return learned(WAYS[way].learner, WAYS[way].stages, settings, mixture())


@cache
def quickly(way):
    return trained(way, WAYS[way].quick, 1e-2, 0.97)


@cache
def at_length(way):
    return trained(way, WAYS[way].steps, WAYS[way].lr, 0.98)


def drawn(generator, rows=2_000, known=None, seed=1):
    return generator.draw(rows, np.random.default_rng(seed), known)
