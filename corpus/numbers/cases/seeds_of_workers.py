"""Start of a shard: rank * samples * bytes in int32 is beyond 2^31 from the third rank on."""
import torch


def start_of(rank, samples, size):
    return torch.mul(torch.mul(rank, samples), size)  # fault: wrap


ranks = torch.arange(8, dtype=torch.int32)
starts = start_of(ranks, 1_200_000, 640)


def harm():
    return ((starts.double() - ranks.double() * 768e6).abs().max() / 768e6).item()

# right:
#- ranks = torch.arange(8, dtype=torch.int32)
#+ ranks = torch.arange(8, dtype=torch.int64)
