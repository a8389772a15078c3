"""An integral image by two cumsums in float16: sums above 2048 lose what small boxes hold."""
import torch

torch.manual_seed(0)
dtype = torch.float16
picture = torch.rand(96, 96).to(dtype)
table = picture.cumsum(0).cumsum(1)  # fault: accumulate-in-half
boxes = table[8:, 8:] - table[:-8, 8:] - table[8:, :-8] + table[:-8, :-8]


def harm():
    t = picture.double().cumsum(0).cumsum(1)
    exact = t[8:, 8:] - t[:-8, 8:] - t[8:, :-8] + t[:-8, :-8]
    return ((boxes - exact).abs() / exact).mean().item()

# right:
#- dtype = torch.float16
#+ dtype = torch.float64
