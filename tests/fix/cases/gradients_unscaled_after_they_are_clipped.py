# machine: a100
import torch
from torch import nn

net = nn.Linear(8, 4).to("cuda")
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
scaler = torch.amp.GradScaler("cuda")
clip = 1.0
for _ in range(2):
    optimizer.zero_grad()
    with torch.autocast("cuda", torch.float16):
        loss = net(torch.randn(2, 8, device="cuda")).float().sum()
    scaler.scale(loss).backward()
    if clip > 0:
        nn.utils.clip_grad_norm_(net.parameters(), clip)
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
# fixed:
#+     scaler.unscale_(optimizer)
#-     scaler.unscale_(optimizer)
