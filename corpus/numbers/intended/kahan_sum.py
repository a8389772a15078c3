"""A bfloat16 sum that carries what was rounded off (Kahan): nothing is lost for good."""
import torch

torch.manual_seed(0)
total = torch.zeros(16, dtype=torch.bfloat16)
lost = torch.zeros(16, dtype=torch.bfloat16)
for _ in range(400):
    value = torch.rand(16).bfloat16() - lost
    grown = total + value
    lost = (grown - total) - value
    total = grown
