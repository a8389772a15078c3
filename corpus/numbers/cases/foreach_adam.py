"""Adam's foreach kernels on a bfloat16 convolution that is fine-tuned."""
import torch
from torch import nn

torch.manual_seed(0)
conv = nn.Conv2d(3, 8, 3).bfloat16()  # fault: half-parameters-without-master
start = conv.weight.detach().clone()
optimizer = torch.optim.Adam(conv.parameters(), lr=3e-6, foreach=True)
for _ in range(6):
    optimizer.zero_grad()
    image = torch.randn(2, 3, 8, 8)
    loss = conv(image.to(conv.weight.dtype)).float().square().mean()
    loss.backward()
    optimizer.step()


def harm():
    return (conv.weight == start).float().mean().item()

# right:
#- conv = nn.Conv2d(3, 8, 3).bfloat16()
#+ conv = nn.Conv2d(3, 8, 3)
