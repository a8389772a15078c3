# machine: a100
import torch
import torch.nn.functional as F
from torch import nn

table = nn.Embedding(5, 8).to("cuda")


def dilate(labels):
    return F.max_pool2d(labels, 3, stride=1, padding=1)


labels = torch.randint(0, 5, (2, 8, 8), device="cuda")
style = table(dilate(labels)).permute(0, 3, 1, 2)
# fixed:
#-     return F.max_pool2d(labels, 3, stride=1, padding=1)
#+     return F.max_pool2d(labels.to(torch.float32), 3, stride=1, padding=1)
#- style = table(dilate(labels)).permute(0, 3, 1, 2)
#+ style = table(dilate(labels).long()).permute(0, 3, 1, 2)
