"""DP-SGD: the trainer gives a loss per record, this engine gives noisy gradients and the event to account.

One line of reading: `plan` (what is promised) -> `batches` (who is in a step) -> `tape`, `layers` and
`functional` (what each record adds) -> `gradients` (clip, sum, noise) -> `grid` (why float bits prove
nothing) -> `capture`.
"""

from understudy.engines.dpsgd.batches import Batch, PoissonBatches
from understudy.engines.dpsgd.capture import CapturedSteps, capture
from understudy.engines.dpsgd.gradients import PrivateGradients
from understudy.engines.dpsgd.plan import Plan

__all__ = ["Batch", "CapturedSteps", "Plan", "PoissonBatches", "PrivateGradients", "capture"]
