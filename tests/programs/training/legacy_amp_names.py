# machine: v100
import torch
from torch import nn

model = nn.Linear(8, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
scaler = torch.cuda.amp.GradScaler()
with torch.cuda.amp.autocast():
    out = model(torch.randn(4, 8).cuda())
    assert out.dtype == torch.float16
    loss = out.float().pow(2).mean()
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
