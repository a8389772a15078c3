# machine: v100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
up = nn.Sequential(
    nn.ConvTranspose2d(8, 4, 4, stride=2, padding=1),
    nn.ReLU(),
    nn.ConvTranspose2d(4, 3, 4, stride=2, padding=1),
).to(dev, torch.bfloat16 if dev == "cpu" else torch.float16)
z = torch.randn(2, 8, 4, 4, device=dev)
# fixed: z = torch.randn(2, 8, 4, 4, device=dev).to(up[0].weight.dtype)
image = up(z)  # finding: operand-dtype-mismatch conv_transpose2d input
print(image.shape)
