# machine: v100
import torch
from torch import nn

net = nn.Linear(8, 2).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cuda")
for step in range(8):
    with torch.autocast("cuda", dtype=torch.float16):
        loss = net(torch.randn(4, 8, device="cuda")).float().sum() / 4
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    if (step + 1) % 4 == 0:
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
# fixed:
#-     scaler.unscale_(optimizer)
#-     torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
#+         scaler.unscale_(optimizer)
#+         torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
