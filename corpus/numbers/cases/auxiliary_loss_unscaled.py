"""A second loss is differentiated without the scaler."""
import torch
from torch import nn


class Recommender(nn.Module):
    def __init__(self, users=50, items=80, dim=8):
        super().__init__()
        self.user = nn.Embedding(users, dim)
        self.item = nn.Embedding(items, dim)
        self.head = nn.Linear(dim, 1)

    def forward(self, u, i):
        return self.head(self.user(u) * self.item(i)).squeeze(1)


torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
model = Recommender().to(device)
before = model.user.weight.detach().square().mean().item()
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
scaler = torch.amp.GradScaler(device, init_scale=1024.0)
for _ in range(20):
    u = torch.randint(50, (256,), device=device)
    i = torch.randint(80, (256,), device=device)
    clicked = (u + i) % 2
    optimizer.zero_grad()
    with torch.autocast(device, dtype=torch.float16):
        logit = model(u, i)
    loss = nn.functional.binary_cross_entropy_with_logits(logit.float(), clicked.float())
    penalty = 2.0 * (model.user.weight.square().mean() + model.item.weight.square().mean())
    scaler.scale(loss).backward()
    penalty.backward()  # fault: scaler-misuse
    scaler.step(optimizer)
    scaler.update()


def harm():
    after = model.user.weight.detach().square().mean().item()
    right = (1 - 2.0 * 2 / model.user.weight.numel()) ** 40  # what the penalty alone does
    error = abs(after / before - right) / (1 - right)
    return float(error)

# right:
#-     penalty.backward()
#+     scaler.scale(penalty).backward()
