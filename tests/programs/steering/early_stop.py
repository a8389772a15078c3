# machine: v100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Linear(4, 1).to(dev)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
best, patience, epoch = float("inf"), 0, 0
while patience < 2 and epoch < 6:
    loss = model(torch.randn(8, 4, device=dev)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    grad_norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    if torch.isfinite(grad_norm):
        optimizer.step()
    scheduler.step(loss.item())
    if loss.item() < best - 1e-4:
        best, patience = loss.item(), 0
    else:
        patience += 1
    epoch += 1
