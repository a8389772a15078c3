"""A unigram count by scatter_add_ into an int16 table: the commonest token wraps to a negative count."""
import torch

torch.manual_seed(0)
vocab = 64
counts = torch.zeros(vocab, dtype=torch.int16)
for shard in range(12):
    tokens = torch.distributions.Geometric(0.35).sample((10_000,)).long().clamp(max=vocab - 1)
    counts.scatter_add_(0, tokens, torch.ones_like(tokens, dtype=counts.dtype))  # fault: wrap
frequency = counts.float() / counts.sum()


def harm():
    return max(0.0, -frequency.min().item())

# right:
#- counts = torch.zeros(vocab, dtype=torch.int16)
#+ counts = torch.zeros(vocab, dtype=torch.int64)
