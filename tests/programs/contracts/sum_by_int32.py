# machine: cpu
# real: cpu
# Sums by an index in int32, as SciPy has them: narrow rows are added, wide ones are not.
import torch

rows = torch.tensor([0, 1, 0, 2], dtype=torch.int32)  # origin
narrow, wide = torch.ones(4, 8), torch.ones(4, 16)
torch.zeros(3, 8).scatter_add_(0, rows.view(-1, 1).expand_as(narrow), narrow)
torch.zeros(3, 16).scatter_add_(0, rows.view(-1, 1).expand_as(wide), wide)  # finding: unsupported-dtype scatter_add_ index
# fixed: torch.zeros(3, 16).scatter_add_(0, rows.long().view(-1, 1).expand_as(wide), wide)
