"""Offsets of bags for embedding_bag come from lengths that were collated as float16 with the other features."""
import torch
import torch.nn.functional as F

torch.manual_seed(0)
lengths = torch.randint(1, 30, (300,))
words = torch.randint(0, 1000, (int(lengths.sum()),))
table = torch.randn(1000, 16)


def offsets(lengths):
    ends = torch.cumsum(lengths, 0)  # fault: index-in-half
    return (ends - lengths).long()


bags = F.embedding_bag(words, table, offsets(lengths.to(torch.float16)), mode="mean")


def harm():
    exact = F.embedding_bag(words, table, lengths.cumsum(0) - lengths, mode="mean")
    return ((bags - exact).abs().amax(1) > 1e-3).float().mean().item()

# right:
#- bags = F.embedding_bag(words, table, offsets(lengths.to(torch.float16)), mode="mean")
#+ bags = F.embedding_bag(words, table, offsets(lengths), mode="mean")
