"""A product in 512 chunks, added up in bfloat16: late chunks are rounded away."""
import torch

torch.manual_seed(0)
features = torch.rand(8, 4096).bfloat16()
weight = torch.rand(4096, 16).bfloat16()
out = torch.zeros(8, 16, dtype=torch.bfloat16)
for left, right in zip(features.split(8, dim=1), weight.split(8, dim=0)):
    out += left @ right  # fault: accumulate-in-half


def harm():
    exact = features.double() @ weight.double()
    return ((out.double() - exact).abs() / exact).max().item()

# right:
#- out = torch.zeros(8, 16, dtype=torch.bfloat16)
#+ out = torch.zeros(8, 16)
