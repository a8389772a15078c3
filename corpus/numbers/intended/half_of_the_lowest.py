"""A mask of half of the lowest float16: added twice it is -inf, and masks all the same."""
import torch

torch.manual_seed(0)
scores = torch.randn(2, 8, 8).half()
lowest = torch.finfo(torch.float16).min
causal = torch.full((8, 8), lowest / 2, dtype=torch.float16).triu(1)
padding = torch.zeros(2, 1, 8, dtype=torch.float16)
padding[1, :, 6:] = lowest
weights = (scores + causal + padding).softmax(-1)
