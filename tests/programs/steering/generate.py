# machine: a100
# real: cpu
# Greedy decoding with a cache must end, whatever the logits would have been.
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
embed, cell, head = nn.Embedding(20, 8).to(dev), nn.GRUCell(8, 8).to(dev), nn.Linear(8, 20).to(dev)
eos, limit = 2, 12
tokens = torch.tensor([[1], [1]], device=dev)
h = torch.zeros(2, 8, device=dev)
unfinished = torch.ones(2, dtype=torch.long, device=dev)
with torch.no_grad():
    while True:
        h = cell(embed(tokens[:, -1]), h)
        probs = torch.softmax(head(h) / 0.7, -1)
        values, indices = probs.topk(5)
        probs = torch.zeros_like(probs).scatter_(-1, indices, values)
        next_token = torch.multinomial(probs / probs.sum(-1, keepdim=True), 1).squeeze(1)
        next_token = next_token * unfinished + eos * (1 - unfinished)
        tokens = torch.cat([tokens, next_token[:, None]], 1)
        unfinished = unfinished.mul((next_token != eos).long())
        if unfinished.max() == 0 or tokens.shape[1] >= limit:
            break
print(tokens.shape, [row.tolist() for row in tokens])
