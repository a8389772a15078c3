# machine: v100
# real: cpu
import torch
import torch.nn.functional as F
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
ids = torch.randint(5, 50, (2, 12))
labels = ids.clone()
probability = torch.full(labels.shape, 0.15)
probability.masked_fill_(ids == 5, value=0.0)
masked = torch.bernoulli(probability).bool()
masked[0, 0] = True
labels[~masked] = -100
replaced = torch.bernoulli(torch.full(labels.shape, 0.8)).bool() & masked
ids[replaced] = 4
random = torch.bernoulli(torch.full(labels.shape, 0.5)).bool() & masked & ~replaced
ids[random] = torch.randint(50, labels.shape, dtype=torch.long)[random]
model = nn.Sequential(nn.Embedding(50, 16), nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), nn.Linear(16, 50)).to(dev)
logits = model(ids.to(dev))
loss = F.cross_entropy(logits.view(-1, 50), labels.to(dev).view(-1), ignore_index=-100)
loss.backward()
accuracy = (logits.argmax(-1).cpu()[masked] == labels[masked]).float().mean()
