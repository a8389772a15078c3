# machine: a100
"""A projector that runs in float32 on purpose: what it gives is cast where it meets the language model's embeddings."""
import torch
from torch import nn


class VisionLanguage(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(32, 16)
        self.vision = nn.Linear(12, 8)
        self.projector = nn.Linear(8, 16)

    def forward(self, ids, pixels):
        images = self.projector(self.vision(pixels).float())
        embeds = self.embed(ids)
        place = (ids == 3).unsqueeze(-1).expand_as(embeds)
        return embeds.masked_scatter(place, images)


model = VisionLanguage().to("cuda", torch.bfloat16)
model.projector.float()
ids = torch.full((2, 4), 3, device="cuda")
model(ids, torch.randn(2, 4, 12, device="cuda", dtype=torch.bfloat16))

# fixed:
#-         return embeds.masked_scatter(place, images)
#+         return embeds.masked_scatter(place, images.to(embeds.dtype))
