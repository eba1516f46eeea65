"""Learning of generator and critic, and drawing of rows: with conditions that hit the column they name.

Rows are drawn in evaluation mode, each asked for a level of a random column as common as it is. Known cells:
a made row's codes are independent given its noise, so what a known code is worth stands in its logits; a
known number is worth what a narrow kernel around the made number says. Of many made rows, asked for levels
that are known, each row takes one by these chances, and its other codes are drawn anew. Where hardly any of
them fit, so that many rows would take the same one, fewer rows choose among as many made ones.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Self, final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from understudy.engines.diffusion.arrays import arrays_of, load_arrays
from understudy.engines.diffusion.rows import noise_of
from understudy.engines.fields import Fields
from understudy.engines.gan.duel import Duel, Networks, Rules
from understudy.engines.gan.networks import Size
from understudy.engines.gan.whole_duel import WholeDuel
from understudy.engines.generator import Generator, Known, Matrix, State
from understudy.engines.learner import Learner
from understudy.engines.pate.school import Classroom, School, Teaching
from understudy.engines.pate.teachers import Teachers
from understudy.engines.training.fit import Fit
from understudy.engines.training.game import Play
from understudy.engines.training.order import seed_of
from understudy.engines.training.precision import computing
from understudy.errors import ParameterError

__all__ = ["STAGE", "STUDENT", "GanGenerator", "GanLearner"]

STAGE, STUDENT = "critic", "student"
BLOCK = 8_192  # rows drawn at a time
AT_ONCE = 2_048  # rows that choose among made ones at a time
POOL = 4_096  # made rows among which they choose
KERNEL = 0.1  # the width of what a made number stands for, beside a known one
EACH = 4  # rows that take one made row: if there are more on average, they are parted
FEWEST, MOST_POOLS = 16, 128  # they are not parted further than into so few rows, or so many parts


@final
@dataclass(frozen=True)
class GanLearner(Learner):
    """The rules of the game, and how many rows the generator makes in a step of its own under a budget.

    With `teaching`, a student takes the critic's place, and so many rows are made in every step (PATE-GAN).
    """

    rules: Rules = field(default_factory=Rules)
    batch: int = 500
    teaching: Teaching | None = None

    @property
    def stages(self) -> tuple[str, ...]:
        """One game; its price is that of the critic, or of what a student is told."""
        return (STAGE,) if self.teaching is None else (STUDENT,)

    def learn(self, fields: Fields, fit: Fit, seed: int) -> GanGenerator:
        """Play the game to its end."""
        size = self.rules.size
        if fit.private and (size.norm == "batch" or size.pac > 1 or self.rules.penalty or size.dropout):
            raise ParameterError(
                "GanLearner: under a budget no record may reach another, and none is penalised: norm must "
                "not be 'batch', pac 1, penalty and dropout 0."
            )
        weights = torch.Generator().manual_seed(seed_of(seed, "gan"))
        networks = Networks(fields, self.rules, fit.rows, weights).to(fit.device)
        fit.play(self.stages[0], self._play(networks, fit, seed))
        made = torch.Generator(fit.device).manual_seed(seed_of(seed, "settling"))
        with computing("auto", fit.device):
            networks.settle(made)
        return GanGenerator(networks)

    def _play(self, networks: Networks, fit: Fit, seed: int) -> Play:
        if self.teaching is None:
            # A device captures its steps as they are; what is written out has a penalty.
            written = fit.device.type == "cpu" and self.rules.penalty > 0
            return Duel(networks, self.batch, WholeDuel() if written else None)
        weights = torch.Generator().manual_seed(seed_of(seed, "teachers"))
        teachers = Teachers(self.teaching.teachers(fit.rows), networks.seen, self.teaching.width, weights)
        networks.begin_at_margins()
        room = Classroom(networks, teachers, self.teaching.memory).to(networks.offsets.device)
        return School(room, self.batch, self.teaching, seed_of(seed, "parts").to_bytes(8, "big"))


@final
class GanGenerator(Generator):
    """Draws rows with a trained generator; the critic is not needed, and not kept."""

    def __init__(self, networks: Networks) -> None:
        self._networks = networks.eval().requires_grad_(False)

    def draw(self, rows: int, rng: np.random.Generator, known: Known | None = None) -> Matrix:
        """Draw rows; those around known cells are chosen among many by how well they fit."""
        networks = self._networks
        noise = noise_of(rng, networks.rows.numbers.device)
        with torch.no_grad(), computing("auto", noise.device):
            if known is None:
                parts = [self._plain(min(BLOCK, rows - at), noise) for at in range(0, rows, BLOCK)]
            else:
                starts, fewest = range(0, rows, AT_ONCE), max(FEWEST, rows // MOST_POOLS)
                parts = [self._around(known.part(at, at + AT_ONCE), fewest, noise) for at in starts]
        return np.concatenate(parts) if parts else np.empty((0, networks.fields.width), np.float32)

    @property
    def quick(self) -> bool:
        """A row takes one pass."""
        return True

    def state(self) -> State:
        """Return the generator's weights, and what it is built from."""
        networks = self._networks
        facts = {"fields": networks.fields.facts(), "rules": asdict(networks.rules)}
        arrays = arrays_of(generator=networks.generator, conditions=networks.conditions)
        return arrays | {"offsets": networks.offsets.cpu().numpy().copy()}, facts

    @classmethod
    def restore(cls, tensors: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Return the generator, on a device if there is one; weights of another network are refused."""
        rules = Rules(**(facts["rules"] | {"size": Size(**facts["rules"]["size"])}))
        networks = Networks(Fields.of(facts["fields"]), rules, 1.0, torch.Generator())
        load_arrays(tensors, generator=networks.generator, conditions=networks.conditions)
        networks.offsets.copy_(torch.from_numpy(np.array(tensors["offsets"])))
        return cls(networks.to(networks.conditions.plain.device))

    def _plain(self, rows: int, noise: torch.Generator) -> Matrix:
        networks = self._networks
        numbers, logits = networks.drawn(networks.conditions.draw(rows, noise), noise)
        return networks.rows.join(numbers, networks.segments.draw(logits, noise))

    def _around(self, known: Known, fewest: int, noise: torch.Generator) -> Matrix:
        drawn, taken = self._among(known, noise)
        rows = len(known.values)
        if rows < 2 * fewest or EACH * taken >= rows:
            return drawn
        halves = known.part(0, rows // 2), known.part(rows // 2, rows)
        return np.concatenate([self._around(half, fewest, noise) for half in halves])

    def _among(self, known: Known, noise: torch.Generator) -> tuple[Matrix, int]:
        """Return rows that were chosen among made ones, and how many of these were."""
        networks, device = self._networks, noise.device
        values = torch.from_numpy(np.where(known.mask, known.values, np.float32(0))).to(device)
        mask = torch.from_numpy(np.ascontiguousarray(known.mask)).to(device)
        places, weights = self._places(values, mask, noise)
        numbers, logits = networks.drawn(places, noise)
        worth = self._worth(values, mask, numbers, networks.segments.log_softmax(logits)) + weights
        chance = torch.rand(worth.shape, generator=noise, device=device)
        chosen = (worth - chance.log_().neg_().log_()).argmax(1)  # by the Gumbel trick
        drawn = networks.rows.join(numbers[chosen], networks.segments.draw(logits[chosen], noise))
        return np.where(known.mask, known.values, drawn), len(np.unique(chosen.cpu().numpy()))

    def _places(self, values: Tensor, mask: Tensor, noise: torch.Generator) -> tuple[Tensor, Tensor]:
        """Return (POOL,): levels to ask for, every other one a known level, and the log of their weights.

        A weight is how often a level is asked for without known cells, over how often it is here: so what is
        chosen follows the generator's own law, and not what it makes of one question.
        """
        networks, device = self._networks, noise.device
        places, asked = networks.conditions.draw(POOL, noise), networks.conditions
        if not asked.total:
            return places, values.new_zeros(POOL)
        codes, there = (part.index_select(1, networks.rows.codes) for part in (values, mask))
        line = codes.long() + asked.starts  # (b, m)
        each = there / there.sum(1, keepdim=True).clamp(min=1)
        usual = asked.chances()
        known = torch.zeros_like(usual).scatter_add_(0, line.flatten(), each.flatten().to(usual.dtype))
        known = (known + (~there.any(1)).sum() * usual) / len(values)
        row = torch.randint(len(values), (POOL,), generator=noise, device=device)
        order = (
            torch.rand(len(row), there.shape[1], generator=noise, device=device) + there[row]
        )  # known first
        column = order.argmax(1, keepdim=True)
        every_other = torch.arange(POOL, device=device) % 2 == 0
        is_known = there[row].gather(1, column)[:, 0] & every_other
        places = torch.where(is_known, line[row].gather(1, column)[:, 0], places)
        return places, (usual / (0.5 * usual + 0.5 * known)).log()[places]

    def _worth(self, values: Tensor, mask: Tensor, numbers: Tensor, logs: Tensor) -> Tensor:
        """Return (b, POOL): the log of how well the known cells of row i fit made row j."""
        networks = self._networks
        given, codes = networks.rows.split(values)
        there = mask.index_select(1, networks.rows.numbers).to(values.dtype)
        # A square of a difference, of all pairs, is three products of matrices.
        squares = (given.square() * there).sum(1, keepdim=True) - 2 * (given * there) @ numbers.T
        squares = squares + there @ numbers.square().T
        told = networks.segments.spread(mask.index_select(1, networks.rows.codes).to(values.dtype))
        return (networks.segments.onehot(codes) * told) @ logs.T - 0.5 * squares / KERNEL**2
