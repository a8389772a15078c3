"""The lowest number of float32, cast to float16, is -inf: a row of padding only is NaN."""
import torch

torch.manual_seed(0)
padded = torch.tensor([[True, True, False, False], [False, False, False, False]])
bias = torch.where(padded, 0.0, torch.finfo(torch.float32).min)
scores = torch.randn(2, 4).half() + bias.half()
weights = torch.softmax(scores, -1)  # fault: nan-mask


def harm():
    return weights.isnan().float().mean().item()

# right:
#- bias = torch.where(padded, 0.0, torch.finfo(torch.float32).min)
#+ bias = torch.where(padded, 0.0, torch.finfo(torch.float16).min / 2)
