"""What private gradients refuse: layers that let one row reach another, and odd parameters."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.instancenorm import _InstanceNorm
from torch.nn.modules.lazy import LazyModuleMixin

from understudy.errors import ParameterError

__all__ = ["group_names", "refuse_mixing", "trainable"]


def refuse_mixing(model: nn.Module) -> None:
    """Refuse every layer in which a record's output depends on other records, now or through a buffer.

    Batch norm is refused in batch clipping too: its running mean and variance are read from rows without
    noise. Group norm and layer norm look at one record at a time and are fine.
    """
    for name, module in model.named_modules():
        kind = type(module).__name__
        if isinstance(module, _BatchNorm):
            raise ParameterError(f"dpsgd: {kind} at {name!r} mixes rows; use LayerNorm or GroupNorm instead.")
        if isinstance(module, _InstanceNorm) and module.track_running_stats:
            raise ParameterError(
                f"dpsgd: {kind} at {name!r} keeps statistics of rows; use track_running_stats=False."
            )
        if isinstance(module, nn.Embedding | nn.EmbeddingBag) and _counts_rows(module):
            raise ParameterError(f"dpsgd: {kind} at {name!r} lets rows change each other; leave max_norm and "
                                 "scale_grad_by_freq out.")  # fmt: skip
        if isinstance(module, LazyModuleMixin):
            raise ParameterError(f"dpsgd: {kind} at {name!r} has no shape yet; run the model once before.")


def _counts_rows(module: nn.Embedding | nn.EmbeddingBag) -> bool:
    return module.max_norm is not None or module.scale_grad_by_freq


def trainable(model: nn.Module) -> dict[str, nn.Parameter]:
    """Return the parameters that need gradients, by name: all float32 or all float64, on one device."""
    found = {name: p for name, p in model.named_parameters() if p.requires_grad}
    kinds = {(p.dtype, p.device) for p in found.values()}
    if len(kinds) != 1 or next(iter(kinds))[0] not in (torch.float32, torch.float64):
        what = ", ".join(sorted(f"{dtype} on {device}" for dtype, device in kinds)) or "none"
        raise ParameterError(f"dpsgd: parameters must be float32 (or all float64) on one device; got {what}.")
    return found


def group_names(names: list[str], groups: tuple[str, ...], *, by_layer: bool) -> list[int]:
    """Return the number of the group of each parameter: of the prefix it has, of its layer, or one for all.

    >>> group_names(["encoder.0.weight", "encoder.0.bias", "head.weight"], (), by_layer=True)
    [0, 0, 1]
    """
    if not groups:
        layers = list(dict.fromkeys(name.rpartition(".")[0] for name in names))
        return [layers.index(name.rpartition(".")[0]) if by_layer else 0 for name in names]
    homes = [[number for number, group in enumerate(groups) if name.startswith(group)] for name in names]
    if any(len(home) != 1 for home in homes) or len({home[0] for home in homes}) != len(groups):
        odd = [name for name, home in zip(names, homes, strict=True) if len(home) != 1] or list(groups)
        raise ParameterError(
            "dpsgd: each parameter must begin with exactly one group, and each group must have one; "
            f"got trouble with {odd[0]!r}."
        )
    return [home[0] for home in homes]
