"""A histogram by index_add_ of bfloat16 ones: no bin grows beyond 256."""
import torch

torch.manual_seed(0)
levels = torch.randint(0, 4, (4000,))
ones = torch.ones(4000, dtype=torch.bfloat16)
bins = torch.zeros(4, dtype=torch.bfloat16)
for part, one in zip(levels.split(10), ones.split(10)):
    bins.index_add_(0, part, one)  # fault: accumulate-in-half


def harm():
    return (bins.double() / torch.bincount(levels) - 1).abs().max().item()

# right:
#- ones = torch.ones(4000, dtype=torch.bfloat16)
#- bins = torch.zeros(4, dtype=torch.bfloat16)
#+ ones = torch.ones(4000)
#+ bins = torch.zeros(4)
