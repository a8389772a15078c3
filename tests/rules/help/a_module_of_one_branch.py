# machine: a100
# help: cast `nn.Conv2d(1, 1, 3, device="cuda")` at a_module_of_one_branch.py:7: .to(torch.float16)
import torch
from torch import nn
def erode(mask, same=False):
    if not same:
        kernel = nn.Conv2d(1, 1, 3, device="cuda")
    else:
        kernel = nn.Conv2d(1, 1, 3, device="cuda", dtype=mask.dtype)
    return kernel(mask) > 0.99
erode(torch.ones(1, 1, 8, 8, device="cuda", dtype=torch.float16))
