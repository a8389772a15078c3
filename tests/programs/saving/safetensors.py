# machine: a100
# real: cpu
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import nn

dev = "cuda:0" if torch.cuda.is_available() else "cpu"
state = load_file("half.safetensors", device=dev)
assert state["weight"].dtype == torch.float16 and str(state["weight"].device) == dev
with safe_open("half.safetensors", framework="pt", device="cpu") as file:
    assert set(file.keys()) == {"weight", "bias"}
    part = file.get_slice("weight")[:4]
    assert part.shape == (4, 8) and file.get_tensor("bias").device.type == "cpu"
model = nn.Linear(8, 8).to(dev, torch.float16)
model.load_state_dict(state)
save_file(model.state_dict(), "copy.safetensors", metadata={"format": "pt"})
again = load_file("copy.safetensors")
assert again["weight"].shape == (8, 8)
y = model(torch.ones(1, 8, device=dev, dtype=torch.float16))
z = nn.functional.linear(y, again["weight"].to(dev).float())  # finding: operand-dtype-mismatch linear input
# fixed: z = nn.functional.linear(y, again["weight"].to(dev))
