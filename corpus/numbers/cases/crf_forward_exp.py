"""The forward recursion of a CRF takes log(sum(exp())) by hand: below -103 every exp is 0 and the log -inf."""
import torch
from torch import nn


class LinearChainCRF(nn.Module):
    def __init__(self, tags):
        super().__init__()
        self.transitions = nn.Parameter(torch.randn(tags, tags) * 0.1)
        self.start = nn.Parameter(torch.zeros(tags))

    def log_partition(self, emissions):
        alpha = self.start + emissions[0]
        for emission in emissions[1:]:
            score = alpha[:, None] + self.transitions + emission[None]
            alpha = torch.log(torch.exp(score).sum(dim=0))  # fault: overflow
        return torch.logsumexp(alpha, dim=0)


torch.manual_seed(0)
crf = LinearChainCRF(tags=5)
emissions = torch.randn(60, 5).log_softmax(-1) - 2.0
log_z = crf.log_partition(emissions)


def harm():
    t, e = crf.transitions.detach().double(), emissions.double()
    a = crf.start.detach().double() + e[0]
    for row in e[1:]:
        a = torch.logsumexp(a[:, None] + t + row, dim=0)
    right = torch.logsumexp(a, 0).item()
    return float(abs(log_z.item() - right))

# right:
#-             alpha = torch.log(torch.exp(score).sum(dim=0))
#+             alpha = torch.logsumexp(score, dim=0)
