"""The users of a day are counted with unique over a float32 column of a log table: neighbouring numbers are one user."""
import torch


def log_table(users, seconds):
    return torch.stack([users.float(), seconds], 1)  # fault: rounding-of-integers


torch.manual_seed(0)
users = 80_000_000 + torch.randperm(20000)[:6000]
table = log_table(users, torch.rand(6000) * 86400)
active = table[:, 0].unique().numel()


def harm():
    return abs(active / 6000 - 1)

# right:
#-     return torch.stack([users.float(), seconds], 1)
#+     return torch.stack([users.double(), seconds.double()], 1)
