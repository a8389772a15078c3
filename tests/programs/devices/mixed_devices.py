# machine: v100
import torch

mean = torch.tensor([0.5, 0.5, 0.5]).view(3, 1, 1)  # origin
# fixed: mean = torch.tensor([0.5, 0.5, 0.5], device="cuda").view(3, 1, 1)
image = torch.rand(3, 8, 8, device="cuda")
scaled = image * 2 + torch.tensor(1.0)
normal = (image - mean) / 0.5  # finding: operand-device-mismatch sub other
