"""default_collate makes float64 of Python floats: the weight of each sample widens the bfloat16 losses and all that follows."""
import torch
import torch.nn.functional as F
from torch import nn


class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        return {"x": torch.randn(16, 32, generator=g), "y": i % 4, "weight": 1.0 / (1 + i % 3)}


torch.manual_seed(0)
net = nn.Linear(32, 4).bfloat16()
kept = []
for batch in torch.utils.data.DataLoader(Samples(), batch_size=16):
    logits = net(batch["x"].bfloat16())
    focus = logits.softmax(-1) * batch["weight"][:, None, None]  # fault: widening
    kept.append(focus.detach())
    F.nll_loss(focus.mean(1).clamp_min(1e-3).float().log(), batch["y"]).backward()


def harm():
    return sum(one.nbytes for one in kept) / (64 * 16 * 4 * 2) - 1

# right:
#-     focus = logits.softmax(-1) * batch["weight"][:, None, None]
#+     focus = logits.softmax(-1) * batch["weight"].bfloat16()[:, None, None]
