"""Bugs that make a method less private than it says, each planted in the one place where it would live.

A bug is a function of a monkeypatch, so that whoever plants it takes it back.
"""

import numpy as np

from understudy.engines.dpsgd import clipper, source
from understudy.engines.dpsgd.gradients import PrivateGradients
from understudy.engines.training.privately import PrivateFit
from understudy.model import private_fit
from understudy.privacy.mechanisms import best, counts, spanning, sums


def noise_divided(patch, by=2):
    """Counts get a part of the noise that is paid for."""
    honest = counts.discrete_gaussian
    patch.setattr(counts, "discrete_gaussian", lambda stream, sigma, size: honest(stream, sigma / by, size))


def sums_without_a_clip(patch):
    """What a row adds to sums is rounded, and as long as it is."""
    patch.setattr(sums.ClippedSums, "_steps", lambda self, vectors: sums.rows_to_grid(vectors, self.grid))


def gradients_without_a_clip(patch):
    """A row's gradient is as long as it is."""
    patch.setattr(clipper, "_factor", lambda squares, _limit, weight: (weight.to(squares.dtype), None))


def choices_without_noise(patch):
    """The best is chosen, whatever was paid."""
    for room in (best, spanning):
        patch.setattr(room, "gumbel", lambda _stream, size: np.zeros(size))


def codec_of_raw_rows(patch):
    """The upper bound of column n is looked up in the rows."""

    def peek(vault, schema, _events):
        high = float(vault._columns["n"].max())
        columns = [
            each.model_copy(update={"bounds": each.bounds.model_copy(update={"high": high})})
            if each.name == "n"
            else each
            for each in schema.columns
        ]
        return schema.model_copy(update={"columns": tuple(columns)})

    patch.setattr(private_fit.purchase, "buy", peek)


def second_stage_without_noise(patch):
    """The stage called diffusion is paid for, and gets no noise."""
    honest_train, honest_noise, stages = PrivateFit._train, source._Processor.noise, [""]

    def train(self, stage, *given, **more):
        stages.append(stage)
        honest_train(self, stage, *given, **more)
        stages.pop()

    def noise(self, step, scale, out):
        honest_noise(self, step, scale, out)
        if stages[-1] == "diffusion":
            out.zero_()

    patch.setattr(PrivateFit, "_train", train)
    patch.setattr(source._Processor, "noise", noise)


def no_noise_once_resumed(patch):
    """Who takes up a training that was cut off adds no noise from there on."""
    honest = PrivateGradients.skip_to

    def forgetful(self, step):
        honest(self, step)
        self._source.noise = lambda _at, _scale, out: out.zero_()

    patch.setattr(PrivateGradients, "skip_to", forgetful)
