# machine: v100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
stem = nn.Conv2d(3, 8, 3, padding=1).to(dev).half()
image = torch.rand(1, 3, 16, 16, device=dev)  # origin
# fixed: image = torch.rand(1, 3, 16, 16, device=dev).half()
features = stem(image)  # finding: operand-dtype-mismatch conv2d input
print(features.shape)
