# machine: v100
# real: cpu
# Python numbers and zero-dimensional tensors do not promote a half tensor.
import numpy as np
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
h = torch.randn(2, 4, device=dev).half()
alphas = torch.linspace(0.1, 1, 10)
step = alphas[3]
x = h * 0.5 + step - step.item() + torch.tensor(2.0, dtype=torch.float64)
x = x / np.sqrt(8) * np.float32(2) + alphas[2] ** 0.5
x = torch.where(x > 0, x, 0.0).clamp(min=alphas[0].item()).lerp(h, 0.5)
assert x.dtype == torch.float16
nn.Linear(4, 4).to(dev).half()(x)
