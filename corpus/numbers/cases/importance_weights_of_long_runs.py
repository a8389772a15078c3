"""Importance weights of episodes are exponentials of summed log ratios, in float16 all 0 after normalising."""
import torch

torch.manual_seed(0)
ratios = torch.randn(32, 100) * 0.3 - 0.3


def weights(ratios):
    each = ratios.sum(1).exp()  # fault: underflow
    return each / each.sum()


found = weights(ratios.half())


def harm():
    exact = ratios.double().sum(1).softmax(0)
    got = torch.nan_to_num(found.double())
    return (got - exact).abs().sum().item()

# right:
#- found = weights(ratios.half())
#+ found = weights(ratios)
