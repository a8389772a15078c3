# machine: v100
# real: cpu
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

dev = "cuda" if torch.cuda.is_available() else "cpu"
rnn = nn.GRU(8, 16, batch_first=True).to(dev)
head = nn.Linear(16, 3).to(dev)
x, lengths = torch.randn(3, 6, 8, device=dev), torch.tensor([6, 4, 2])
packed = pack_padded_sequence(x, lengths, batch_first=True)
out, h = rnn(packed)
out, lengths = pad_packed_sequence(out, batch_first=True)
head(out).mean().backward()
cell = nn.GRUCell(8, 16, device=dev)
h = torch.zeros(3, 16, device=dev)
for t in range(6):
    h = cell(x[:, t], h)
print(h.shape, lengths.tolist())
