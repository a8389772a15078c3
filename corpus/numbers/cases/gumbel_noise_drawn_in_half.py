"""Gumbel noise from float16 draws: some are 0, whose logarithm is -inf, and no noise is above 8, so rare tokens never come."""
import torch
from torch import nn

VOCAB, DRAWS = 64, 20000


class Tiny(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, dim)
        self.head = nn.Linear(dim, VOCAB)

    def forward(self, token):
        return self.head(self.embed(token))


def gumbel(logits):
    u = torch.rand(logits.shape, dtype=logits.dtype)
    return -torch.log(-torch.log(u))  # fault: underflow


def sample(logits, temperature=1.0):
    noise = gumbel(logits)
    return (logits / temperature + noise).argmax(-1), noise


torch.manual_seed(0)
model = Tiny().half().eval()
with torch.no_grad():
    logits = model(torch.tensor([3])).expand(DRAWS, VOCAB)
tokens, noise = sample(logits)


def harm():
    return (torch.isinf(noise).sum() / DRAWS).item()

# right:
#-     u = torch.rand(logits.shape, dtype=logits.dtype)
#+     u = torch.rand(logits.shape).clamp_(1e-7, 1 - 1e-7)
