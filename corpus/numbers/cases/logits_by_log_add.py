"""log(sum(exp(x))) without a shift in float16: exp(12) is above 65504."""
import torch

torch.manual_seed(0)
energies = (torch.randn(16, 40) * 4 + 6).half()
wide = energies
free = torch.log(torch.exp(wide).sum(-1))  # fault: overflow


def harm():
    return (~free.isfinite()).float().mean().item()

# right:
#- wide = energies
#+ wide = energies.float()
