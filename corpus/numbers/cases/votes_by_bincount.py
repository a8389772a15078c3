"""Votes with float weights go through bincount one shard at a time; the totals are kept in float16."""
import torch


class Tally:
    def __init__(self, bins, dtype):
        self.totals = torch.zeros(bins, dtype=dtype)

    def add(self, labels):
        counted = torch.bincount(labels, minlength=len(self.totals))
        self.totals = self.totals + counted.to(self.totals.dtype)  # fault: accumulate-in-half


torch.manual_seed(0)
tally = Tally(4, torch.float16)
shards = [torch.randint(0, 4, (13,)) for _ in range(2500)]
for shard in shards:
    tally.add(shard)


def harm():
    exact = torch.bincount(torch.cat(shards), minlength=4).double()
    return (tally.totals.double() / exact - 1).abs().max().item()

# right:
#- tally = Tally(4, torch.float16)
#+ tally = Tally(4, torch.int64)
