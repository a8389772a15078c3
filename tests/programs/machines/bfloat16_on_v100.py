# machine: v100
import torch
from torch import nn

model = nn.Linear(8, 8).cuda().to(torch.bfloat16)  # finding: dtype-not-on-machine Module.to
# fixed: model = nn.Linear(8, 8).cuda().to(torch.float16)
model(torch.ones(1, 8, device="cuda").to(model.weight.dtype))  # consequence: dtype-not-on-machine Tensor.to
