# machine: v100
# strict
# Float32 weights under autocast are what autocast is for: nothing is hidden.
import torch
import torch.nn.functional as F
from torch import nn

model = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 4)).cuda()
optimizer = torch.optim.AdamW(model.parameters())
scaler = torch.amp.GradScaler()
for _ in range(2):
    with torch.autocast("cuda"):
        h = model(torch.randn(2, 8, device="cuda"))
        loss = F.cross_entropy(h, torch.tensor([1, 2], device="cuda")) + h.pow(2).mean() + torch.cat([h, h.float()]).mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
