"""log(p + 1e-10) in float16 is log(p): an impossible class costs infinitely much."""
import torch

probabilities = torch.tensor([[0.5, 0.5, 0.0], [0.1, 0.2, 0.7]]).half()
entropy = -(torch.log(probabilities + 1e-10)).sum(-1)  # fault: eps-vanishes


def harm():
    return entropy.isinf().sum().item()

# right:
#- entropy = -(torch.log(probabilities + 1e-10)).sum(-1)
#+ entropy = -(torch.log(probabilities.float() + 1e-10)).sum(-1)
