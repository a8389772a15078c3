"""F.normalize of float16 rows: its eps of 1e-12 is 0, a row of zeros becomes NaN."""
import torch
import torch.nn.functional as F

torch.manual_seed(0)
rows = torch.randn(5, 12).half()
rows[2] = 0
unit = F.normalize(rows, dim=-1)  # fault: eps-vanishes


def harm():
    return unit.isnan().sum().item()

# right:
#- unit = F.normalize(rows, dim=-1)
#+ unit = F.normalize(rows, dim=-1, eps=1e-3)
