"""A temporal graph weighs a node's messages by exp(-age): of a node that slept for long every half weight is 0."""
import torch


def gather(messages, age, tau=2.0):
    weight = torch.exp(-age / tau)  # fault: underflow
    total = weight.sum(1, keepdim=True).clamp_min(1e-7)
    return torch.einsum("nk,nkd->nd", weight / total, messages)


torch.manual_seed(0)
messages = torch.randn(40, 6, 8).half() + 1
age = (torch.rand(40, 6) * 5).half()
age[::4] += 40
memory = gather(messages, age)


def harm():
    share = torch.softmax(-age.double() / 2.0, 1)
    exact = torch.einsum("nk,nkd->nd", share, messages.double())
    return ((memory - exact).abs().mean(1) > 0.1).float().mean().item()

# right:
#-     weight = torch.exp(-age / tau)
#+     weight = torch.exp((age.amin(1, keepdim=True) - age) / tau)
