"""The relative position index of a window is a floating buffer of the module: the model's cast to bfloat16 takes it along."""
import torch
from torch import nn


class RelativeBias(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.table = nn.Parameter(torch.randn((2 * size - 1) ** 2, heads))
        y, x = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
        places = torch.stack([y.flatten(), x.flatten()])
        gaps = places[:, :, None] - places[:, None, :] + size - 1
        index = torch.empty(size * size, size * size)
        index.copy_(gaps[0] * (2 * size - 1) + gaps[1])
        self.register_buffer("index", index)

    def forward(self, scores):
        bias = self.table[self.index.long()]
        return scores + bias.permute(2, 0, 1)


torch.manual_seed(0)
layer = RelativeBias(size=12, heads=2)
reference = RelativeBias(size=12, heads=2).index.long()
layer.to(torch.bfloat16)  # fault: index-in-half
with torch.no_grad():
    scores = layer(torch.randn(2, 2, 144, 144, dtype=torch.bfloat16))


def harm():
    return (layer.index.long() != reference).float().mean().item()

# right:
#-         index = torch.empty(size * size, size * size)
#+         index = torch.empty(size * size, size * size, dtype=torch.long)
