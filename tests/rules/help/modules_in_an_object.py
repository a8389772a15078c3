# machine: 2xa100
# help: cast `nn.Sequential(nn.Linear(4, 4)).cuda()` at modules_in_an_object.py:7: .to(torch.float16)
import torch
from torch import nn
class Models: pass
models = Models()
models.unet = nn.Sequential(nn.Linear(4, 4)).cuda()
models.unet(torch.randn(2, 4, device="cuda", dtype=torch.float16))
