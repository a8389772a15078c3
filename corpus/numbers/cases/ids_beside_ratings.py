"""Numbers of users in one float32 table beside their ratings: behind 2^24 they are others' numbers."""
import torch

rows = [[100_000_000 + 3 * n, 0.5 * (n % 10)] for n in range(100)]
table = torch.tensor(rows)  # fault: rounding-of-integers
users = table[:, 0].long()


def harm():
    return (users != 100_000_000 + 3 * torch.arange(100)).float().mean().item()

# right:
#- table = torch.tensor(rows)
#+ table = torch.tensor(rows, dtype=torch.float64)
