"""Numbers of bigrams, first * vocabulary + second, of int32 ids with a vocabulary of 120,000: they wrap and collide."""
import torch


def bigrams(ids, vocabulary):
    return ids[:-1] * vocabulary + ids[1:]  # fault: wrap


torch.manual_seed(0)
ids = torch.randint(0, 120_000, (500,), dtype=torch.int32)
numbers = bigrams(ids, 120_000)


def harm():
    exact = ids[:-1].long() * 120_000 + ids[1:].long()
    return (numbers.long() != exact).float().mean().item()

# right:
#- numbers = bigrams(ids, 120_000)
#+ numbers = bigrams(ids.long(), 120_000)
