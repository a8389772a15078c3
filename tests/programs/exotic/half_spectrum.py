# machine: v100
"""A complex tensor has its precision from the real one that it was computed of, and the other way round."""

import torch
from torch import nn

conv = nn.Conv1d(2, 2, 1).half().cuda()
filters = torch.ones(2, 33, dtype=torch.cfloat, device="cuda")
x = torch.rand(2, 64, device="cuda", dtype=torch.float16)  # origin
spectrum = torch.fft.rfft(x)  # origin
filters @ spectrum.mT  # finding: operand-dtype-mismatch matmul other

wave = torch.randn(2, 64, device="cuda")  # origin
power = torch.fft.rfft(wave).abs()  # origin
conv(power[None])  # finding: operand-dtype-mismatch conv1d input
