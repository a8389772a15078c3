# machine: v100
import torch
from torch import nn

dtype = torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float16
assert dtype == torch.float16
model = nn.Linear(8, 8, device="cuda", dtype=dtype)
host = nn.Linear(8, 8).bfloat16()
model(torch.ones(1, 8, device="cuda", dtype=dtype))
