"""The likelihood of ten tokens as a product in float16 is 0."""
import torch

torch.manual_seed(0)
chances = (torch.rand(6, 10) * 0.1 + 0.02).half()
likelihood = chances.prod(-1)  # fault: underflow
ranking = likelihood.argsort(descending=True)


def harm():
    return (likelihood == 0).float().mean().item()

# right:
#- likelihood = chances.prod(-1)
#+ likelihood = chances.float().prod(-1)
