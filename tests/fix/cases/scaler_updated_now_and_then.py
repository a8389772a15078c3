# machine: v100
import torch
from torch import nn

net = nn.Linear(8, 2).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cuda")
for step in range(6):
    with torch.autocast("cuda", dtype=torch.float16):
        loss = net(torch.randn(4, 8, device="cuda")).float().sum()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    if step % 3 == 2:
        scaler.update()
        print(step)
# fixed:
#+     scaler.update()
#-         scaler.update()
