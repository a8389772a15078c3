# machine: v100
# A CPU index into a GPU tensor is allowed, a GPU index into a CPU tensor is not.
import torch

table = torch.randn(10, 4, device="cuda")
print(table[torch.tensor([1, 2])].shape)
labels = torch.arange(10)
order = torch.randperm(10, device="cuda")
# fixed: order = torch.randperm(10)
shuffled = labels[order]  # finding: operand-device-mismatch index self
