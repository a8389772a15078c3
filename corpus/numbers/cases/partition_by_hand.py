"""A CRF's forward pass by log(sum(exp(x))) without its maximum, in float16: sums pass 65504 after some words."""
import torch


def forward_scores(emissions, transitions):
    alpha = emissions[0]
    for word in emissions[1:]:
        paths = alpha[:, None] + transitions + word[None, :]
        alpha = torch.log(torch.exp(paths).sum(0))  # fault: overflow
    return torch.logsumexp(alpha.float(), 0)


torch.manual_seed(0)
emissions = torch.randn(30, 6) + 1.0
transitions = torch.randn(6, 6) * 0.2
partition = forward_scores(emissions.half(), transitions.half())


def harm():
    return 0.0 if partition.isfinite() else 1.0

# right:
#- partition = forward_scores(emissions.half(), transitions.half())
#+ partition = forward_scores(emissions.double(), transitions.double())
