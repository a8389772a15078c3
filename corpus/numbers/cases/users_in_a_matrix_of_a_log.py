"""A log is read into one float32 matrix: its column of user ids takes one for a dozen neighbours."""
import torch
from torch import nn

USERS, FIRST = 3000, 90_000_000


def read_log(n=5000):
    generator = torch.Generator().manual_seed(3)
    user = FIRST + torch.randint(0, USERS, (n,), generator=generator)
    return user, torch.rand(n, generator=generator) * 30


def as_matrix(user, dwell, dtype):
    matrix = torch.empty(len(user), 2, dtype=dtype)
    matrix[:, 0] = user  # fault: rounding-of-integers
    matrix[:, 1] = dwell
    return matrix


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.user = nn.Embedding(USERS + 64, 8)
        self.out = nn.Linear(9, 1)

    def forward(self, matrix):
        index = (matrix[:, 0] - FIRST).long()
        return self.out(torch.cat([self.user(index), matrix[:, 1:].float()], 1)).squeeze(1)


torch.manual_seed(0)
user, dwell = read_log()
matrix = as_matrix(user, dwell, torch.float32)
scores = Model()(matrix)


def harm():
    return (matrix[:, 0].long() != user).float().mean().item()

# right:
#- matrix = as_matrix(user, dwell, torch.float32)
#+ matrix = as_matrix(user, dwell, torch.float64)
