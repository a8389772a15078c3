"""A Gaussian kernel in float16: all weights of a far query are 0, their mean is 0 / 0."""
import torch

places = torch.linspace(0, 1, 20).half()
query = torch.tensor(6.0).half()
near = torch.exp(-(places - query).square())  # fault: underflow
estimate = (near * places).sum() / near.sum()


def harm():
    return float(estimate.isnan())

# right:
#- near = torch.exp(-(places - query).square())
#+ near = torch.exp(-(places.float() - query).square())
