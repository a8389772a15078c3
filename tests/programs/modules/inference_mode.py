# machine: v100
# real: cpu
# In inference mode a conversion makes other parameters: those of ordinary mode cannot take its data.
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4)).to(dev)
with torch.inference_mode():
    model.half()
    model(torch.ones(2, 3, device=dev, dtype=torch.half))
    model(torch.ones(2, 3, device=dev))  # finding: operand-dtype-mismatch linear input
    # fixed: model(torch.ones(2, 3, device=dev, dtype=torch.half))
