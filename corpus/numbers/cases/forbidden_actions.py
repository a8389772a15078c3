"""An agent with no legal move: where(legal, logits, -inf) and log_softmax give NaN, and the entropy of all is NaN."""
import torch

torch.manual_seed(0)
logits = torch.randn(6, 5)
legal = torch.rand(6, 5) > 0.4
legal[2] = False
lowest = float("-inf")
policy = torch.log_softmax(torch.where(legal, logits, lowest), -1)  # fault: nan-mask
p = policy.exp()
entropy = -(p * policy.clamp_min(-1e4)).sum(-1)


def harm():
    return entropy.isnan().float().mean().item()

# right:
#- lowest = float("-inf")
#+ lowest = -1e9
