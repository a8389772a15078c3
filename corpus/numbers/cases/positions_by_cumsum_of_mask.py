"""Position ids are the cumulative sum of an attention mask that was cast to the model's bfloat16."""
import torch
from torch import nn

torch.manual_seed(0)


class Embed(nn.Module):
    def __init__(self, most=1024):
        super().__init__()
        self.table = nn.Embedding(most, 8)

    def positions(self, mask):
        return (mask.cumsum(-1) - 1).clamp(min=0).long()  # fault: index-in-half

    def forward(self, mask):
        return self.table(self.positions(mask))


embed = Embed().to(torch.bfloat16)
mask = torch.ones(2, 700)
mask[1, :300] = 0
with torch.no_grad():
    out = embed(mask.to(embed.table.weight.dtype))


def harm():
    right = (mask.long().cumsum(-1) - 1).clamp(min=0)
    return (embed.positions(mask.to(embed.table.weight.dtype)) != right).float().mean().item()

# right:
#-         return (mask.cumsum(-1) - 1).clamp(min=0).long()
#+         return (mask.long().cumsum(-1) - 1).clamp(min=0)
