# machine: v100
# OneTrainer #752: only the token embedding is float32; outside autocast the layer norm meets it.
import torch
from torch import nn


class TextModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.token_embedding = nn.Embedding(10, 8)
        self.position_embedding = nn.Embedding(4, 8)
        self.norm = nn.LayerNorm(8)
        self.proj = nn.Linear(8, 8)

    def forward(self, ids):
        hidden = self.token_embedding(ids) + self.position_embedding(torch.arange(4, device=ids.device))  # origin
        hidden = self.norm(hidden)  # finding: operand-dtype-mismatch layer_norm input
        return self.proj(hidden)


encoder = TextModel().cuda().half()
encoder.token_embedding.to(torch.float32)  # origin
# fixed: encoder.token_embedding.to(torch.float16)
ids = torch.tensor([[1, 2, 3, 4]], device="cuda")
with torch.autocast("cuda"):
    encoder(ids)
encoder(ids)
