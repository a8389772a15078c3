# machine: v100
# real: cpu
import random

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pack_sequence, pad_sequence

random.seed(1)
dev = "cuda" if torch.cuda.is_available() else "cpu"
embed = nn.Embedding(20, 8, padding_idx=0).to(dev)
encoder, decoder, out = nn.LSTM(8, 8, batch_first=True).to(dev), nn.LSTMCell(8, 8).to(dev), nn.Linear(8, 20).to(dev)
sequences = [torch.randint(1, 20, (n,)) for n in (5, 3, 4)]
batch = pad_sequence(sequences, batch_first=True).to(dev)
mask = batch != 0
_, (h, c) = encoder(embed(batch))
h, c = h[0], c[0]
token = torch.ones(3, dtype=torch.long, device=dev)
loss = torch.zeros((), device=dev)
for t in range(batch.size(1)):
    h, c = decoder(embed(token), (h, c))
    logits = out(h)
    loss = loss + (F.cross_entropy(logits, batch[:, t], reduction="none") * mask[:, t]).mean()
    token = batch[:, t] if random.random() < 0.5 else logits.argmax(-1)
loss.backward()
nn.utils.clip_grad_norm_(embed.parameters(), 1.0)
encoder(pack_sequence([embed(s.to(dev)) for s in sequences], enforce_sorted=False))
