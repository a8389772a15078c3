"""The count of tokens by which a loss is divided is added up in bfloat16."""
import torch

torch.manual_seed(0)
losses, counts = torch.zeros(()), torch.zeros((), dtype=torch.bfloat16)
lengths = torch.randint(20, 60, (300,))
for length in lengths:
    mask = torch.arange(64) < length
    losses += (mask * 2.0).sum()
    counts += mask.sum()  # fault: accumulate-in-half
mean = losses / counts


def harm():
    return abs(mean.item() / 2.0 - 1)

# right:
#- losses, counts = torch.zeros(()), torch.zeros((), dtype=torch.bfloat16)
#+ losses, counts = torch.zeros(()), torch.zeros((), dtype=torch.int64)
