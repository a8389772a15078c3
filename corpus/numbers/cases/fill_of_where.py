"""torch.where with a float32 tensor of one element as its other side makes bfloat16 scores float32."""
import torch

torch.manual_seed(0)
scores = torch.randn(4, 64, 64).bfloat16()
causal = torch.ones(64, 64, dtype=torch.bool).tril()
fill = torch.tensor([-1e4])
masked = torch.where(causal, scores, fill)  # fault: widening
weights = masked.softmax(-1)


def harm():
    return weights.element_size() / 2 - 1

# right:
#- fill = torch.tensor([-1e4])
#+ fill = torch.tensor([-1e4], dtype=scores.dtype)
