# machine: v100
import torch

x = torch.nn.Linear(4, 4).cuda().half()(torch.ones(1, 4, device="cuda"))  # finding: operand-dtype-mismatch linear input
raise ValueError("my own mistake")  # ends: ValueError: my own mistake
