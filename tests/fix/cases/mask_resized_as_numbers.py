# machine: a100
import torch
import torch.nn.functional as F
from torch import nn

head = nn.Conv2d(3, 4, 3, 2, 1).to("cuda")


def resize(mask, size):
    return F.interpolate(mask.unsqueeze(1), size=size, mode="nearest").squeeze(1)


for _ in range(2):
    images = torch.rand(2, 3, 16, 16, device="cuda")
    masks = torch.randint(0, 4, (2, 16, 16), device="cuda")
    out = head(images)
    loss = 0.4 * F.cross_entropy(out, resize(masks, out.shape[-2:]))
    loss.backward()
# fixed:
#-     return F.interpolate(mask.unsqueeze(1), size=size, mode="nearest").squeeze(1)
#+     return F.interpolate(mask.to(torch.float32).unsqueeze(1), size=size, mode="nearest").squeeze(1)
#-     loss = 0.4 * F.cross_entropy(out, resize(masks, out.shape[-2:]))
#+     loss = 0.4 * F.cross_entropy(out, resize(masks, out.shape[-2:]).long())
