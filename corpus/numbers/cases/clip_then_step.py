"""Gradients are clipped while they are still multiplied by the loss scale."""
import torch
from torch import nn

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1)).to(device)
start = [p.detach().clone() for p in model.parameters()]
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scaler = torch.amp.GradScaler(device, init_scale=2.0 ** 12)
x = torch.randn(64, 8, device=device)
y = x[:, :1] * 3

for step in range(15):
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast(device, dtype=torch.float16):
        prediction = model(x)
    loss = nn.functional.mse_loss(prediction.float(), y)
    scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)  # fault: scaler-misuse
    scaler.step(optimizer)
    scaler.update()


def harm():
    exact = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1)).to(device)
    for p, q in zip(exact.parameters(), start):
        p.data.copy_(q)
    for step in range(15):
        exact.zero_grad()
        nn.functional.mse_loss(exact(x), y).backward()
        nn.utils.clip_grad_norm_(exact.parameters(), max_norm=1.0)
        for p in exact.parameters():
            p.data.sub_(0.05 * p.grad)
    way = sum((p - s).norm() ** 2 for p, s in zip(model.parameters(), start)).sqrt().item()
    right = sum((p - s).norm() ** 2 for p, s in zip(exact.parameters(), start)).sqrt().item()
    return float(abs(way - right) / right)

# right:
#-     scaler.scale(loss).backward()
#+     scaler.scale(loss).backward()
#+     scaler.unscale_(optimizer)
