"""One minus the Bhattacharyya coefficient of two near histograms in bfloat16 is rounding."""
import torch

dtype = torch.bfloat16
torch.manual_seed(0)
p = torch.rand(16, 64).softmax(-1)
q = (p * (1 + torch.randn(16, 64) * 0.05)).abs()
q = q / q.sum(-1, keepdim=True)
overlap = torch.einsum("bi,bi->b", p.to(dtype).sqrt(), q.to(dtype).sqrt())
distance = (1 - overlap).clamp_min(0)  # fault: cancellation


def harm():
    exact = (1 - (p.double() * q.double()).sqrt().sum(-1)).mean()
    return abs(distance.float().mean().item() / exact.item() - 1)

# right:
#- dtype = torch.bfloat16
#+ dtype = torch.float64
