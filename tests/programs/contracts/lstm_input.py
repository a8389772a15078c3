# machine: v100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
rnn = nn.LSTM(8, 16).to(dev).double()
x = torch.randn(5, 2, 8, device=dev)
# fixed: x = torch.randn(5, 2, 8, device=dev).double()
rnn(x)  # finding: operand-dtype-mismatch lstm input
