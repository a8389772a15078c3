# machine: v100
import torch
from torch import nn


def update(net, optimizer, scaler):
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()


net = nn.Linear(8, 2).cuda()
scaler = torch.amp.GradScaler("cuda")
for step in range(4):
    if step == 0:
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with torch.autocast("cuda", dtype=torch.float16):
        loss = net(torch.randn(4, 8, device="cuda")).sum() / 2
    scaler.scale(loss).backward()
    if step % 2:
        update(net, optimizer, scaler)

# fixed:
#+     scaler.unscale_(optimizer)
