# machine: a100
import torch
from torch import nn

layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False).to("cuda")


def pad(sets):
    points = torch.zeros(len(sets), 6, 16)
    padding = torch.ones(len(sets), 6, dtype=torch.uint8)
    for i, one in enumerate(sets):
        points[i, : len(one)] = one
        padding[i, : len(one)] = 0
    return points, padding


points, padding = pad([torch.randn(4, 16), torch.randn(6, 16)])
h = encoder(points.to("cuda"), src_key_padding_mask=padding.to("cuda"))
# fixed:
#- h = encoder(points.to("cuda"), src_key_padding_mask=padding.to("cuda"))
#+ h = encoder(points.to("cuda"), src_key_padding_mask=padding.to("cuda").bool())
