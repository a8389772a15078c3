# machine: 2xv100
import torch
from torch import nn

state = torch.load("full.pt", map_location="cuda:1")
assert state["weight"].device == torch.device("cuda:1")
assert torch.load("full.pt", map_location=torch.device("cpu"))["weight"].device.type == "cpu"
assert torch.load("full.pt", map_location=lambda storage, location: storage)["bias"].device.type == "cpu"
assert torch.load("full.pt", map_location={"cpu": "cuda:0"})["bias"].device.index == 0
model = nn.Linear(8, 8, device="cuda:0")
model.load_state_dict(state)
assert model.weight.device.index == 0
other = nn.Linear(8, 8)
other.load_state_dict(state, assign=True)
# fixed: other.load_state_dict(torch.load("full.pt", map_location="cuda"), assign=True)
x = torch.randn(1, 8, device="cuda")  # origin
other(x)  # finding: operand-device-mismatch linear input
