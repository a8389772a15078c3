# machine: a100
# real: cpu
import torch
import torch.nn.functional as F
from torch import nn


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 16)
        self.block = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, norm_first=True)
        self.head = nn.Linear(16, 50, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids):
        mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1], device=ids.device, dtype=self.head.weight.dtype)
        return self.head(self.block(self.embed(ids), src_mask=mask, is_causal=True))


dev = "cuda" if torch.cuda.is_available() else "cpu"
model = LM().to(dev).to(torch.bfloat16)
assert model.head.weight is model.embed.weight and len(list(model.parameters())) == len(set(map(id, model.parameters())))
ids = torch.randint(0, 50, (2, 9), device=dev)
logits = model(ids[:, :-1])
F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()).backward()
