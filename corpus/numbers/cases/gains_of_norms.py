"""The gain of a norm starts at 1, where bfloat16 is coarse: RMSprop's steps of 0.0005 are lost."""
import torch
from torch import nn

torch.manual_seed(0)
norm = nn.GroupNorm(2, 8).bfloat16()  # fault: half-parameters-without-master
optimizer = torch.optim.RMSprop(norm.parameters(), lr=5e-4, alpha=0.9)
for _ in range(8):
    optimizer.zero_grad()
    hidden = torch.randn(4, 8, 6).to(norm.weight.dtype)
    loss = norm(hidden).float().square().mean()
    loss.backward()
    optimizer.step()


def harm():
    return (norm.weight == 1).float().mean().item()

# right:
#- norm = nn.GroupNorm(2, 8).bfloat16()
#+ norm = nn.GroupNorm(2, 8)
