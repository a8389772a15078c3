"""NAdam fine-tunes a bfloat16 encoder under a one-cycle rate of at most 5e-6: norms and most weights stand still."""
import torch
from torch import nn


def build():
    encoder = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
    return nn.Sequential(encoder, nn.Linear(32, 2))


torch.manual_seed(0)
model = build().to(dtype=torch.bfloat16)
decay = [p for p in model.parameters() if p.ndim > 1]
other = [p for p in model.parameters() if p.ndim <= 1]
optimizer = torch.optim.NAdam([{"params": decay, "weight_decay": 0.01}, {"params": other}], lr=5e-6)  # fault: half-parameters-without-master
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=5e-6, total_steps=12)
start = model[1].weight.detach().clone()
for _ in range(10):
    optimizer.zero_grad()
    x = torch.randn(8, 6, 32).to(next(model.parameters()).dtype)
    loss = nn.functional.cross_entropy(model(x)[:, 0].float(), torch.randint(0, 2, (8,)))
    loss.backward()
    optimizer.step()
    schedule.step()


def harm():
    return (model[1].weight.detach() == start).float().mean().item()

# right:
#- model = build().to(dtype=torch.bfloat16)
#+ model = build()
