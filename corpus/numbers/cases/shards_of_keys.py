"""The shard of a key is floor(key / size), a true division, which is float32 for int64 keys of eleven digits."""
import torch

torch.manual_seed(0)
keys = torch.randint(0, 40_000_000_000, (4000,))
rows_per_shard = 1000


def place(keys):
    shard = torch.floor(keys / rows_per_shard)  # fault: rounding-of-integers
    row = keys - shard.long() * rows_per_shard
    return shard.long(), row


shard, row = place(keys)


def harm():
    return ((row < 0) | (row >= rows_per_shard) | (shard != keys // rows_per_shard)).float().mean().item()

# right:
#-     shard = torch.floor(keys / rows_per_shard)
#+     shard = torch.div(keys, rows_per_shard, rounding_mode="floor")
