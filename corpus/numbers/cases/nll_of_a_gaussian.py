"""The likelihood of a Gaussian head, summed over 3000 dimensions, in bfloat16: three digits of 4,000."""
import torch
from torch.distributions import Normal

torch.manual_seed(0)
mean, target = torch.randn(8, 3000), torch.randn(8, 3000)
dtype = torch.bfloat16
scale = torch.full_like(mean, 0.8)
log_prob = Normal(mean.to(dtype), scale.to(dtype)).log_prob(target.to(dtype)).sum(-1)  # fault: statistics-in-half
ratio = (log_prob[1:] - log_prob[:-1]).float() / 100


def harm():
    exact = Normal(mean.double(), scale.double()).log_prob(target.double()).sum(-1)
    return (ratio - (exact[1:] - exact[:-1]) / 100).abs().max().item()

# right:
#- dtype = torch.bfloat16
#+ dtype = torch.float32
