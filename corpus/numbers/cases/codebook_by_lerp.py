"""Codes of a VQ-VAE follow their averages by torch.lerp(..., out=) with 0.002, in bfloat16 buffers."""
import torch

DTYPE = torch.bfloat16
torch.manual_seed(0)
codes = torch.randn(32, 8).to(DTYPE)
first = codes.clone().double()
goal = first + torch.sign(first) * 0.2
exact = first.clone()
for _ in range(150):
    found = goal.to(DTYPE)
    torch.lerp(codes, found, 0.002, out=codes)  # fault: state-in-half
    exact.lerp_(goal, 0.002)


def harm():
    return abs(((codes.double() - first).norm() / (exact - first).norm()).item() - 1)

# right:
#- DTYPE = torch.bfloat16
#+ DTYPE = torch.float32
