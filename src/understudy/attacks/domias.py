"""DOMIAS: denser among synthetic rows than among real ones (van Breugel et al. 2023).

The score is log p_synthetic(x) - log p_reference(x): local overfitting. Densities are kernel densities, as
wide as the rule of Scott or Silverman says, in a space in which they exist: the principal axes of the
reference rows (one-hot blocks and constant columns make the full covariance singular), or column by column as
if these were independent. Or they are normalising flows along these axes, each trained on its own table and
judged by rows of it. Logarithms, for densities of many columns are 0 in floats.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal, final

import numpy as np

from understudy import check
from understudy.engines.density import KernelDensity
from understudy.errors import ParameterError
from understudy.measuring.column_density import log_density, log_shares
from understudy.measuring.encoder import scaler
from understudy.measuring.membership import Floats, Membership
from understudy.measuring.space import Space
from understudy.measuring.view import View, look
from understudy.model.torch_extra import require_torch
from understudy.table.coded import CodedTable
from understudy.table.evidence import Evidence, Role

__all__ = ["DOMIAS"]


@final
@dataclass(frozen=True)
class DOMIAS(Membership):
    """Ratio of the densities of synthetic and of reference rows at a record, by kernels or flows.

    density      "kernel": around every row; "flow": a network that is trained (extra `neural`)
    space        "pca": axes of the reference rows; "columns": every column on its own, by kernels
    components   axes that are kept
    rule         of the width of kernels
    width        times what the rule says, or times the noise that a flow is trained with
    rows         of each table that are looked at, if there are more
    steps        of training of each flow, at most
    """

    sees: ClassVar[tuple[Role, ...]] = ("synthetic", "reference")

    density: Literal["kernel", "flow"] = check.choice("kernel", "kernel", "flow")
    space: Literal["pca", "columns"] = check.choice("pca", "pca", "columns")
    components: int = check.integer(8, low=1, high=1_000)
    rule: Literal["scott", "silverman"] = check.choice("scott", "scott", "silverman")
    width: float = check.number(1.0, low=1e-3, high=1e3)
    rows: int = check.integer(5_000, low=2, high=1_000_000)
    steps: int = check.integer(1_000, low=1, high=1_000_000)

    def __post_init__(self) -> None:
        Membership.__post_init__(self)
        if self.density == "flow" and self.space != "pca":
            raise ParameterError(
                "DOMIAS: expected space='pca' with density='flow'; got space='columns'; try density='kernel'."
            )

    def accuse(self, targets: CodedTable, evidence: Evidence, rng: np.random.Generator) -> Floats:
        """Return the logarithm of the ratio."""
        view = look(evidence, self.sees)
        asked = view.of(targets)
        copied, real = (view.table(role).draw(self.rows, rng) for role in self.sees)
        told = self._told(rng)
        # Rounded, so that sums in another order leave ties as they are.
        return np.round(told(view, asked, copied) - told(view, asked, real), 9)

    def _told(self, rng: np.random.Generator) -> Callable[[View, CodedTable, CodedTable], Floats]:
        if self.density == "flow":
            require_torch("DOMIAS")
            return partial(self._by_flow, rng)
        return self._in_space if self.space == "pca" else self._by_columns

    def _by_flow(self, rng: np.random.Generator, view: View, asked: CodedTable, known: CodedTable) -> Floats:
        from understudy.engines.nets.flow_training import FlowTraining, fit_flow

        space, usual = Space.of(view, self.components), FlowTraining()
        training = replace(usual, steps=self.steps, noise=usual.noise * self.width)
        return fit_flow(space(known), training, rng, scale=space.scale).log_density(space(asked))

    def _in_space(self, view: View, asked: CodedTable, known: CodedTable) -> Floats:
        space = Space.of(view, self.components)
        density = KernelDensity.ruled(space(known), self.rule, times=self.width, scale=space.scale)
        return density.log_density(space(asked))

    def _by_columns(self, view: View, asked: CodedTable, known: CodedTable) -> Floats:
        total = np.zeros(len(asked))
        for column in view.domain:
            one, other = asked[column.name], known[column.name]
            if column.quantity:
                scale = scaler(view.known[column.name], column, "standard")
                total += log_density(scale(one), scale(other), self.rule, self.width)
            else:
                total += log_shares(one, other, column.levels)
        return total
