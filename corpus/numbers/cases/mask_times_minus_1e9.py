"""-1e9 in float16 is -inf: a sequence that is all padding gives NaN."""
import torch

torch.manual_seed(0)
scores = torch.randn(2, 4, 4).half()
keep = torch.tensor([[1.0, 1, 1, 0], [0, 0, 0, 0]]).half()
bias = (1 - keep[:, None]) * -1e9
weights = (scores + bias).softmax(-1)  # fault: nan-mask


def harm():
    return float(weights.isnan().sum())

# right:
#- bias = (1 - keep[:, None]) * -1e9
#+ bias = (1 - keep[:, None]) * -1e4
