# machine: a100
# real: cpu
# As peft: the function that casts is handed the dtype of a weight, which somebody replaced.
import torch
from torch import nn


def cast_input(x, dtype):
    if x.dtype == dtype:
        return x
    return x.to(dtype=dtype)  # origin


class Lora(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 2, bias=False)
        self.b = nn.Linear(2, 8, bias=False)

    def forward(self, x):
        x = cast_input(x, self.a.weight.dtype)
        return self.b(self.a(x))  # finding: operand-dtype-mismatch linear input


dev = "cuda" if torch.cuda.is_available() else "cpu"
layer = Lora().to(dev, torch.float16)
rows = nn.init.orthogonal_(torch.empty(2, 8, device=dev))  # origin
# fixed: rows = nn.init.orthogonal_(torch.empty(2, 8, device=dev)).half()
layer.a.weight.data = rows
layer(torch.ones(4, 8, device=dev, dtype=torch.float16))
