"""A discretised logistic in float16: cdf of the upper edge minus that of the lower is 0, its log is -inf."""
import torch


def log_likelihood(x, mean, log_scale, bin=1 / 255):
    inverse = torch.exp(-log_scale)
    above = torch.sigmoid((x - mean + bin) * inverse)
    below = torch.sigmoid((x - mean - bin) * inverse)
    return torch.log(above - below)  # fault: cancellation


torch.manual_seed(0)
x = torch.rand(256)
mean, scale = torch.full((256,), 0.5), torch.full((256,), -2.5)
cast = torch.Tensor.half
nll = -log_likelihood(cast(x), cast(mean), cast(scale)).float().mean()


def harm():
    exact = -log_likelihood(x.double(), mean.double(), scale.double()).mean()
    return float(not nll.isfinite()) or abs((nll / exact).item() - 1)

# right:
#- cast = torch.Tensor.half
#+ cast = torch.Tensor.float
