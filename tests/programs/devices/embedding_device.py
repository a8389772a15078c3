# machine: v100
import torch
from torch import nn

table = nn.Embedding(10, 4).cuda()
ids = torch.tensor([1, 2, 3])  # origin
# fixed: ids = torch.tensor([1, 2, 3]).cuda()
table(ids)  # finding: operand-device-mismatch embedding indices
