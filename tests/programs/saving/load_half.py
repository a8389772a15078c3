# machine: v100
# real: cpu
# assign=True takes the file's dtype: load_state_dict would have cast.
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Linear(8, 8)
model.load_state_dict(torch.load("half.pt", weights_only=True), assign=True)  # origin
# fixed: model.load_state_dict(torch.load("half.pt", weights_only=True))
model.to(dev)
model(torch.randn(2, 8, device=dev))  # finding: operand-dtype-mismatch linear weight
