"""User ids of eight digits are columns of a float32 matrix of features, and are read back for a join."""
import torch

torch.manual_seed(0)
ids = torch.randint(40_000_000, 90_000_000, (64,))
spend = torch.rand(64, 2)
rows = torch.hstack([ids[:, None], spend])  # fault: rounding-of-integers
joined = rows[:, 0].long()


def harm():
    return (joined != ids).float().mean().item()

# right:
#- rows = torch.hstack([ids[:, None], spend])
#+ rows = torch.hstack([ids[:, None], spend.double()])
