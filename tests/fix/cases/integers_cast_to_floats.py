# machine: a100
import torch
from torch import nn

table = nn.Embedding(20, 4).cuda()
head = nn.Linear(4, 3).cuda()
ids = torch.randint(0, 20, (32,), device="cuda").float()
labels = torch.randint(0, 3, (32,), device="cuda").float()
rows = table.weight[ids]
nn.functional.cross_entropy(head(rows), labels).backward()

# fixed:
#- ids = torch.randint(0, 20, (32,), device="cuda").float()
#- labels = torch.randint(0, 3, (32,), device="cuda").float()
#+ ids = torch.randint(0, 20, (32,), device="cuda")
#+ labels = torch.randint(0, 3, (32,), device="cuda")
