"""Adam (Kingma & Ba 2015) and AdamW (Loshchilov & Hutter 2019), all weights in one kernel of torch's.

Around this kernel torch's own optimizers call a dozen small functions a step, which a small network waits for
as long as for the step; and the first of them in a process loads a compiler that nobody asked for, which
takes a second and more. What is learned is the same to the bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, final

import torch
from torch import Tensor

if TYPE_CHECKING:
    from understudy.engines.training.fit import Settings

__all__ = ["Adam"]

_EPS = 1e-8


@final
class Adam:
    """Moves weights along their gradients; `moments` holds, for each, what the steps to come depend on.

    Weights without a gradient stay where they are, and have no moments yet.

    >>> from understudy.engines.training.fit import Settings
    >>> weight = torch.zeros(1, requires_grad=True)
    >>> weight.grad = torch.ones(1)
    >>> Adam([weight], Settings()).step(0.5)
    >>> weight
    tensor([-0.5000], requires_grad=True)
    """

    def __init__(self, learned: Sequence[Tensor], settings: Settings) -> None:
        self._learned, self._settings = learned, settings
        # The stubs know one of its two forms: a rate may be a number, too.
        self._move: Any = torch._fused_adamw_ if settings.optimizer == "adamw" else torch._fused_adam_
        self.moments: dict[Tensor, dict[str, Tensor]] = {}

    @torch.no_grad()
    def step(self, rate: float | Tensor) -> None:
        """Take one step; on a device the rate may lie in its memory."""
        pairs = [(weight, weight.grad) for weight in self._learned if weight.grad is not None]
        if not pairs:
            return
        held = [self.moments.get(weight) or self._begun(weight) for weight, _ in pairs]
        counts = [each["step"] for each in held]
        torch._foreach_add_(counts, 1)
        self._move(
            [weight for weight, _ in pairs],
            [grad for _, grad in pairs],
            [each["exp_avg"] for each in held],
            [each["exp_avg_sq"] for each in held],
            [],
            counts,
            lr=rate,
            beta1=self._settings.betas[0],
            beta2=self._settings.betas[1],
            weight_decay=self._settings.weight_decay,
            eps=_EPS,
            amsgrad=False,
            maximize=False,
        )

    def _begun(self, weight: Tensor) -> dict[str, Tensor]:
        count = torch.zeros((), dtype=torch.float32, device=weight.device)
        begun = {"step": count, "exp_avg": torch.zeros_like(weight), "exp_avg_sq": torch.zeros_like(weight)}
        self.moments[weight] = begun
        return begun
