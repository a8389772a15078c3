"""The policy of a tree search is its visits to the power of 1 / temperature: at a temperature of 0.05 that is beyond float32."""
import torch


def policy_of(visits, temperature):
    weights = visits.float() ** (1 / temperature)  # fault: overflow
    return weights / weights.sum(-1, keepdim=True)


torch.manual_seed(0)
visits = torch.randint(1, 200, (64, 9))
visits[::3] = visits[::3] // 8 + 1
early = policy_of(visits, 1.0)
late = policy_of(visits, 0.05)


def harm():
    return (~late.isfinite()).any(-1).float().mean().item()

# right:
#-     weights = visits.float() ** (1 / temperature)
#+     weights = (visits / visits.amax(-1, keepdim=True)) ** (1 / temperature)
