"""The entropy of a masked policy adds 1e-10 to float16 probabilities: it is 0 there, and 0 times the log of 0 is NaN."""
import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(8, 6).half()
states = torch.randn(32, 8).half()
allowed = torch.ones(32, 6, dtype=torch.bool)
allowed[:, 4] = False  # an action that this game forbids
with torch.no_grad():
    logits = policy(states).float().masked_fill(~allowed, float("-inf"))
probabilities = logits.softmax(-1).half()
log_probabilities = torch.log(probabilities + 1e-10)  # fault: eps-vanishes
entropy = -(probabilities.float() * log_probabilities.float()).sum(-1).mean()
bonus = 0.01 * entropy


def harm():
    p = probabilities.double()
    right = -torch.xlogy(p, p).sum(-1).mean().item()
    return abs(entropy.item() - right) / right

# right:
#- log_probabilities = torch.log(probabilities + 1e-10)
#+ log_probabilities = torch.log(probabilities.float() + 1e-10)
