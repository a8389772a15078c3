"""Slots within experts are counted by a running sum of bfloat16 one-hot rows: behind 256 tokens share a slot."""
import torch
import torch.nn.functional as F


def slots(chosen, experts, like):
    hot = F.one_hot(chosen, experts).type_as(like)
    places = torch.cumsum(hot, dim=0) - hot  # fault: rounding-of-integers
    return (places * hot).sum(-1).long()


torch.manual_seed(0)
hidden = torch.zeros(1, dtype=torch.bfloat16)
chosen = torch.randint(0, 2, (1500,))
slot = slots(chosen, 2, hidden)


def harm():
    hot = F.one_hot(chosen, 2)
    exact = ((hot.cumsum(0) - hot) * hot).sum(-1)
    return (slot != exact).float().mean().item()

# right:
#-     hot = F.one_hot(chosen, experts).type_as(like)
#+     hot = F.one_hot(chosen, experts)
