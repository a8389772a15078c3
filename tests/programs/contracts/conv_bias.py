# machine: v100
# real: cpu
import torch
import torch.nn.functional as F

dev = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(1, 4, 8, 8, device=dev).half()
weight = torch.randn(4, 4, 3, 3, device=dev).half()
bias = torch.zeros(4, device=dev)  # origin
# fixed: bias = torch.zeros(4, device=dev).half()
F.conv2d(x, weight, bias)  # finding: operand-dtype-mismatch conv2d bias
