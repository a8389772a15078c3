"""An instance norm by hand in float16: the eps is 0, a flat channel gives 0 * inf."""
import torch

torch.manual_seed(0)
maps = torch.randn(2, 8, 16, 16).half()
maps[:, 0] = 0.5
mean = maps.mean((2, 3), keepdim=True)
variance = (maps - mean).square().mean((2, 3), keepdim=True)
normed = (maps - mean) * torch.rsqrt(variance + 1e-8)  # fault: eps-vanishes


def harm():
    return normed.isnan().float().mean().item()

# right:
#- maps = torch.randn(2, 8, 16, 16).half()
#+ maps = torch.randn(2, 8, 16, 16)
