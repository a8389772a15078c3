# machine: a100
# real: cpu
import torch
import torch.nn.functional as F
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
experts = nn.ModuleList(nn.Linear(8, 8) for _ in range(4)).to(dev, torch.bfloat16)
router = nn.Linear(8, 4, bias=False).to(dev, torch.bfloat16)
x = torch.randn(10, 8, device=dev, dtype=torch.bfloat16)
weights, chosen = torch.topk(F.softmax(router(x), dim=1, dtype=torch.float), 2, dim=-1)
weights = (weights / weights.sum(-1, keepdim=True)).to(x.dtype)
out = torch.zeros_like(x)
mask = F.one_hot(chosen, num_classes=4).permute(2, 1, 0)
for e in range(4):
    slot, token = torch.where(mask[e])
    out.index_add_(0, token, (experts[e](x[token]) * weights[token, slot, None]).to(x.dtype))
out.float().sum().backward()
