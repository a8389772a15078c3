# machine: a100
import torch
from torch import nn
from torch.nn.utils import parametrize


class LoRA(nn.Module):
    def __init__(self, fan_in, fan_out, rank=4):
        super().__init__()
        self.a = nn.Parameter(torch.randn(rank, fan_in))
        self.b = nn.Parameter(torch.zeros(fan_out, rank))

    def forward(self, weight):
        return weight + self.b @ self.a


layer = nn.Linear(8, 8).to("cuda", torch.bfloat16).requires_grad_(False)
parametrize.register_parametrization(layer, "weight", LoRA(8, 8).to("cuda"))
layer(torch.randn(2, 8, device="cuda", dtype=torch.bfloat16)).sum().backward()
# fixed:
#- parametrize.register_parametrization(layer, "weight", LoRA(8, 8).to("cuda"))
#+ parametrize.register_parametrization(layer, "weight", LoRA(8, 8).to("cuda", torch.bfloat16))
