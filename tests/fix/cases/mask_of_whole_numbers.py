# machine: a100
import torch
from torch import nn

layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).cuda()
net = nn.TransformerEncoder(layer, 1)
ids = torch.tensor([[3, 5, 0], [4, 0, 0]], device="cuda")
mask = (ids != 0).long()
out = net(nn.Embedding(8, 8).cuda()(ids), src_key_padding_mask=1 - mask)
# fixed:
#- out = net(nn.Embedding(8, 8).cuda()(ids), src_key_padding_mask=1 - mask)
#+ out = net(nn.Embedding(8, 8).cuda()(ids), src_key_padding_mask=(1 - mask).bool())
