# machine: a100
# Random numbers stay between the bounds that they were asked with, also where a loop waits for one.
import torch


def hue(low, high):
    found = float(torch.empty(1).uniform_(low, high))
    if not low <= found <= high:
        raise ValueError(f"hue_factor ({found}) is not in [{low}, {high}].")
    return found


image = torch.rand(3, 8, 8, device="cuda") * hue(-0.1, 0.1)
area = torch.empty(1)
area.uniform_(0.02, 0.33)
assert 0.02 <= area.item() <= 0.33
while torch.empty(1).uniform_().item() > 0.2:
    pass
rounds = 0
while torch.empty(1).uniform_(3, 4).item() < 3.9:
    rounds += 1
assert rounds < 1000
image.half() @ torch.rand(8, 8, device="cuda")  # finding: operand-dtype-mismatch matmul other
