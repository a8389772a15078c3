# machine: v100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Linear(8, 8).to(dev).half()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
model(torch.ones(1, 8, device=dev).half()).sum().backward()
optimizer.step()
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": 3}, "checkpoint.pt")
state = torch.load("checkpoint.pt", map_location="cpu", weights_only=True)
assert state["step"] == 3 and state["model"]["weight"].dtype == torch.float16
assert state["model"]["weight"].device.type == "cpu"
fresh = nn.Linear(8, 8).to(dev)
fresh.load_state_dict(state["model"])
assert fresh.weight.dtype == torch.float32 and fresh.weight.device.type == dev
optimizer.load_state_dict(state["optimizer"])
assert next(iter(optimizer.state.values()))["momentum_buffer"].device.type == dev
fresh(torch.ones(1, 8, device=dev))
