"""torch.set_default_dtype(bfloat16) makes all parameters bfloat16: Adam at 2e-5 moves few of them."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_default_dtype(torch.bfloat16)
model = nn.Sequential(nn.Embedding(50, 32), nn.LayerNorm(32), nn.Linear(32, 50))  # fault: half-parameters-without-master
torch.set_default_dtype(torch.float32)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
start = model[2].weight.detach().clone()
for _ in range(8):
    tokens = torch.randint(0, 50, (4, 12))
    logits = model(tokens)
    loss = nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1).float(), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def harm():
    return (model[2].weight.detach() == start).float().mean().item()

# right:
#- torch.set_default_dtype(torch.bfloat16)
