"""Flat offsets into a table of 70,000 rows and 40,000 columns are worked out in int32."""
import torch

torch.manual_seed(0)
rows = torch.randint(0, 70_000, (256,), dtype=torch.int32)
columns = torch.randint(0, 40_000, (256,), dtype=torch.int32)


def flat(rows, columns, width=40_000):
    return rows * width + columns  # fault: wrap


offsets = flat(rows, columns)


def harm():
    return (offsets.long() != rows.long() * 40_000 + columns).float().mean().item()

# right:
#- offsets = flat(rows, columns)
#+ offsets = flat(rows.long(), columns)
