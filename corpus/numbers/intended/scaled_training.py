"""float16 autocast with a GradScaler that starts too high, skips a step, and goes on."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 8))
optimizer = torch.optim.SGD(net.parameters(), lr=1e-2, momentum=0.9)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0 ** 20)
for _ in range(8):
    optimizer.zero_grad()
    with torch.autocast("cpu", torch.float16):
        output = net(torch.randn(16, 32))
        loss = nn.functional.cross_entropy(output, torch.randint(0, 8, (16,)))
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
