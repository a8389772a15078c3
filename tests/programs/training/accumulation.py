# machine: a100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 4)).to(dev)
optimizer = torch.optim.AdamW([{"params": model[0].parameters(), "lr": 1e-3}, {"params": model[1:].parameters()}], lr=1e-4)
warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, step / 10))
every = 4
for step in range(8):
    with torch.autocast(dev, dtype=torch.bfloat16):
        loss = model(torch.randn(2, 8, device=dev)).float().pow(2).mean() / every
    loss.backward()
    if (step + 1) % every == 0:
        nn.utils.clip_grad_value_(model.parameters(), 0.5)
        optimizer.step()
        warmup.step()
        optimizer.zero_grad()
print(optimizer.param_groups[0]["lr"])
