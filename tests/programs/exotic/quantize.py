# machine: v100
# real: cpu
import copy

import torch

net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))  # note: stayed in floating point
small = torch.ao.quantization.quantize_dynamic(copy.deepcopy(net), {torch.nn.Linear}, dtype=torch.qint8)
print(small(torch.randn(2, 4)).shape)
