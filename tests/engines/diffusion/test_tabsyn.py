"""TabSyn: its second loss by hand, and whose weights it takes."""

import pytest
import torch

from contract.mixture import barely
from understudy.engines.diffusion.tabsyn import (
    EdmLoss,
    LatentDenoiser,
    NetworkSize,
    TabSynGenerator,
)


def test_weights_of_another_network_are_refused():
    tensors, facts = barely("tabsyn").state()
    with pytest.raises(RuntimeError, match="size mismatch"):
        TabSynGenerator.restore(tensors, facts | {"fields": {"numbers": [], "codes": [0], "sizes": [2]}})


def test_a_network_that_says_nothing_loses_what_its_target_is():
    """Of standard normal latents the network's target has variance 1 at every noise (Karras et al. 2022)."""
    denoiser = LatentDenoiser(6, NetworkSize("residual", 8, 1), torch.Generator().manual_seed(0))
    latents = torch.randn(20_000, 6, generator=torch.Generator().manual_seed(1))
    for draws in (1, 2):
        found = EdmLoss(draws)(denoiser, latents, torch.Generator().manual_seed(2))
        assert found.shape == (20_000,)
        assert found.mean().item() == pytest.approx(1.0, rel=0.02)


def test_the_loss_is_the_weighed_error_of_a_denoised_record():
    denoiser = LatentDenoiser(4, NetworkSize("plain", 8, 2), torch.Generator().manual_seed(0))
    latents = torch.randn(9, 4, generator=torch.Generator().manual_seed(1))
    found = EdmLoss()(denoiser, latents, torch.Generator().manual_seed(2))
    noise = torch.Generator().manual_seed(2)
    sigma = torch.exp(1.2 * torch.randn(9, generator=noise) - 1.2)[:, None]
    x = 0.5 * latents + sigma * torch.randn((9, 1, 4), generator=noise)[:, 0]
    total = sigma**2 + 0.25
    told = denoiser.network(x / total.sqrt(), sigma[:, 0].log() / 4)
    guess = 0.25 / total * x + 0.5 * sigma / total.sqrt() * told
    wanted = total[:, 0] / (0.5 * sigma[:, 0]) ** 2 * (guess - 0.5 * latents).square().mean(1)
    assert torch.allclose(found, wanted, rtol=1e-4)
