# machine: a100
# help: cast `index` before gather at columns_of_one_comprehension.py:8: .to(torch.int64)
import numpy as np
import torch
from torch import nn
columns = (np.zeros((8, 4)), np.zeros(8))
obs, action = [torch.as_tensor(c).to("cuda") for c in columns]
value = torch.randn(8, 3, device="cuda").gather(1, action[:, None])
