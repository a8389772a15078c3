"""The centre of a teacher's outputs, 0.999 * centre + 0.001 * mean, in bfloat16."""
import torch

torch.manual_seed(0)
centre = torch.full((64,), 1.0, dtype=torch.bfloat16)
for _ in range(1000):
    outputs = 2 + 0.1 * torch.randn(32, 64)
    centre = centre * 0.999 + outputs.mean(0).to(centre.dtype) * 0.001  # fault: state-in-half


def harm():
    right = 2 - 0.999**1000
    return abs(centre.double().mean().item() / right - 1)

# right:
#- centre = torch.full((64,), 1.0, dtype=torch.bfloat16)
#+ centre = torch.full((64,), 1.0)
