"""Training an FT-Transformer on a table: AdamW, small batches, an end when rows kept aside get no better.

The rows kept aside are a part of the rows to learn from: whoever calls can give no others, so a test set
cannot decide when to stop.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from understudy.engines.nets.ft_transformer import FTTransformer, Size
from understudy.engines.nets.one_thread import one_thread
from understudy.engines.training.fit import device_of

__all__ = ["Cells", "FTModel", "Training", "fit"]

_AT_ONCE = 4_096  # rows of one prediction
_FEWEST_ASIDE = 4  # with fewer rows kept aside, the loss of the training rows decides


@final
@dataclass(frozen=True)
class Cells:
    """Rows as the network reads them: (n, q) floats, NaN missing; (n, c) codes, -1 missing."""

    numbers: npt.NDArray[np.float64]
    codes: npt.NDArray[np.int64]
    levels: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.numbers)

    def tensors(self, device: torch.device) -> tuple[Tensor, Tensor]:
        """Return the same as tensors of the network's types."""
        numbers, codes = torch.from_numpy(self.numbers.astype(np.float32)), torch.from_numpy(self.codes)
        return numbers.to(device), codes.to(device)


@final
@dataclass(frozen=True)
class Training:
    """How it is trained: Gorishniy et al.'s defaults, in a smaller network at a higher rate."""

    size: Size = field(default_factory=Size)
    rate: float = 1e-3
    decay: float = 1e-5
    batch: int = 256
    epochs: int = 100
    patience: int = 5
    aside: float = 0.15


@final
@dataclass(frozen=True)
class FTModel:
    """A trained network: labels are classes, or floats of this mean and deviation."""

    network: FTTransformer
    classes: npt.NDArray[np.int64] | None
    mean: float
    deviation: float
    epochs: int

    def predict(self, cells: Cells) -> npt.NDArray[np.float64] | npt.NDArray[np.int64]:
        """Return the likeliest class of each row, or its number."""
        with one_thread(), torch.no_grad():
            numbers, codes = cells.tensors(self.network.head.weight.device)
            parts = [
                self.network(numbers[start : start + _AT_ONCE], codes[start : start + _AT_ONCE])
                for start in range(0, len(cells), _AT_ONCE)
            ]
            out = torch.cat(parts).cpu().numpy()  # (n, classes) or (n, 1)
        if self.classes is not None:
            return np.asarray(self.classes[out.argmax(1)])
        return np.asarray(out[:, 0].astype(np.float64) * self.deviation + self.mean)


def fit(
    cells: Cells,
    labels: npt.NDArray[np.int64] | npt.NDArray[np.float64],
    training: Training,
    rng: np.random.Generator,
) -> FTModel:
    """Return the network that learned these labels; whole numbers are classes."""
    generator = torch.Generator().manual_seed(int(rng.integers(2**62)))
    regression = np.issubdtype(labels.dtype, np.floating)
    classes = None if regression else np.unique(labels.astype(np.int64))
    mean = float(labels.mean()) if regression else 0.0
    deviation = (float(labels.std()) or 1.0) if regression else 1.0
    wanted = (
        torch.from_numpy(((labels - mean) / deviation).astype(np.float32))
        if classes is None
        else torch.from_numpy(np.searchsorted(classes, labels))
    )
    outputs = 1 if classes is None else len(classes)
    device = device_of("auto")
    with one_thread():
        network = FTTransformer(cells.numbers.shape[1], cells.levels, outputs, training.size, generator)
        if device.type != "cpu":
            network.onto(device, generator.initial_seed())
        epochs = _train(network, (*cells.tensors(device), wanted.to(device)), training, generator)
    return FTModel(network.eval(), classes, mean, deviation, epochs)


def _train(
    network: FTTransformer,
    data: tuple[Tensor, Tensor, Tensor],
    training: Training,
    generator: torch.Generator,
) -> int:
    """Train until the rows kept aside get no better; leave the best weights, return how long it took."""
    rows = len(data[2])
    order = torch.randperm(rows, generator=generator)
    count = int(rows * training.aside)
    learned = order[count:] if count >= _FEWEST_ASIDE else order
    judged = order[:count] if count >= _FEWEST_ASIDE else order
    optimizer = torch.optim.AdamW(_groups(network, training.decay), lr=training.rate)
    best, best_epoch = math.inf, -1
    kept = _weights(network)
    for epoch in range(training.epochs):
        network.train()
        shuffled = learned[torch.randperm(len(learned), generator=generator)]
        for batch in torch.split(shuffled, training.batch):
            optimizer.zero_grad()
            torch.autograd.backward(_loss(network, data, batch))
            optimizer.step()
        network.eval()
        with torch.no_grad():
            parts = [_loss(network, data, part) * len(part) for part in torch.split(judged, _AT_ONCE)]
        loss = float(torch.stack(parts).sum())
        if loss < best:
            best, best_epoch, kept = loss, epoch, _weights(network)
        elif epoch - best_epoch >= training.patience:
            break
    network.load_state_dict(kept)
    return best_epoch + 1


def _loss(network: FTTransformer, data: tuple[Tensor, Tensor, Tensor], rows: Tensor) -> Tensor:
    rows = rows.to(data[2].device)
    numbers, codes, wanted = (each[rows] for each in data)
    out = network(numbers, codes)
    if wanted.is_floating_point():
        return functional.mse_loss(out[:, 0], wanted)
    return functional.cross_entropy(out, wanted)


def _groups(network: FTTransformer, decay: float) -> list[dict[str, object]]:
    """Weights of linear layers decay; tokens, norms and biases do not (Gorishniy et al., appendix E)."""
    decayed = [layer.weight for layer in network.modules() if isinstance(layer, nn.Linear)]
    names = {id(weight) for weight in decayed}
    others = [weight for weight in network.parameters() if id(weight) not in names]
    return [{"params": decayed, "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]


def _weights(network: FTTransformer) -> dict[str, Tensor]:
    return {name: weight.clone() for name, weight in network.state_dict().items()}
