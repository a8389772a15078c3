# machine: v100
# real: cpu
import numpy as np
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
mean = torch.tensor(np.array([0.48, 0.45, 0.40]), device=dev).view(3, 1, 1)  # origin
# fixed: mean = torch.tensor(np.array([0.48, 0.45, 0.40]), device=dev, dtype=torch.float32).view(3, 1, 1)
image = (torch.rand(1, 3, 8, 8, device=dev) - mean) / 0.27  # origin
conv = torch.nn.Conv2d(3, 4, 3).to(dev)
conv(image)  # finding: operand-dtype-mismatch conv2d input
