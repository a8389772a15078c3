# machine: a100
import numpy as np
import torch
from torch import nn

coarse = nn.Linear(4, 4).cuda()
fine = nn.Linear(4, 4).cuda().half()
x = torch.from_numpy(np.linspace(0, 1, 8).reshape(2, 4)).to("cuda")
a = coarse(x)
b = fine(x)
# fixed:
#- x = torch.from_numpy(np.linspace(0, 1, 8).reshape(2, 4)).to("cuda")
#+ x = torch.from_numpy(np.linspace(0, 1, 8).reshape(2, 4)).to("cuda", torch.float32)
#- b = fine(x)
#+ b = fine(x.to(torch.float16))
