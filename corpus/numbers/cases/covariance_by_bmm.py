"""A covariance of activations by bmm in float16 and a division afterwards: the sums pass 65504."""
import torch


def covariance(x):
    x = x - x.mean(1, keepdim=True)
    products = torch.bmm(x.mT, x)  # fault: overflow
    return products / x.shape[1]


torch.manual_seed(0)
dtype = torch.float16
hidden = (torch.randn(2, 1024, 8) * 12).to(dtype)
cov = covariance(hidden)


def harm():
    return cov.isinf().float().mean().item()

# right:
#- dtype = torch.float16
#+ dtype = torch.float32
