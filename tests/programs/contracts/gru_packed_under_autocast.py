# machine: a100
# real: cpu
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

dev = "cuda" if torch.cuda.is_available() else "cpu"
rnn = nn.GRU(8, 16, batch_first=True).to(dev)
x, lengths = torch.randn(3, 6, 8, device=dev), torch.tensor([4, 6, 2])
packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
with torch.autocast("cuda", dtype=torch.bfloat16):
    out, lengths = pad_packed_sequence(rnn(packed)[0], batch_first=True)
print(out.shape, lengths.tolist())
