"""The opacity of a thin piece of a ray is 1 - exp(-density * step) in float16: the exponential is rounded next to 1 and little of the difference is left."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
field = nn.Linear(8, 4).half()
samples = torch.randn(32, 64, 8).half()
step = 1 / 512
with torch.no_grad():
    output = field(samples)
density, colour = F.softplus(output[..., 0]), output[..., 1:].sigmoid()
opacity = 1 - torch.exp(-density * step)  # fault: cancellation
through = torch.cumprod(1 - opacity.float(), dim=-1)
pixel = (through[..., None] * opacity.float()[..., None] * colour.float()).sum(1)


def harm():
    right = -torch.expm1(-density.double() * step)
    return ((opacity.double() - right).norm() / right.norm()).item()

# right:
#- opacity = 1 - torch.exp(-density * step)
#+ opacity = -torch.expm1(-density * step)
