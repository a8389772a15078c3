# machine: v100
import torch
from torch import nn

rnn = nn.LSTM(8, 16, num_layers=2, batch_first=True, bidirectional=True).cuda().half()
x = torch.randn(2, 5, 8, device="cuda").half()
h0 = c0 = torch.zeros(4, 2, 16, device="cuda")
# fixed: h0 = c0 = torch.zeros(4, 2, 16, device="cuda", dtype=x.dtype)
out, _ = rnn(x, (h0, c0))  # finding: operand-dtype-mismatch lstm hx[0]
