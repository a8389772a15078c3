# machine: v100
# real: cpu
# numpy makes float64: the oldest mistake of all.
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

dev = "cuda" if torch.cuda.is_available() else "cpu"
features = torch.from_numpy(np.random.rand(16, 4))  # origin
# fixed: features = torch.from_numpy(np.random.rand(16, 4)).float()
model = torch.nn.Linear(4, 1).to(dev)
for (x,) in DataLoader(TensorDataset(features), batch_size=8):
    y = model(x.to(dev))  # finding: operand-dtype-mismatch linear input
