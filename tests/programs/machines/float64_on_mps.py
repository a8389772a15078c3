# machine: m1
import torch

device = torch.device("mps" if torch.backends.mps.is_available() else "cpu")
assert device.type == "mps"
x = torch.ones(4, device=device)
model = torch.nn.Linear(4, 4).to(device)
model(x).sum().backward()
t = torch.linspace(0, 1, 5, dtype=torch.float64)  # finding: dtype-not-on-machine torch.linspace
# fixed: t = torch.linspace(0, 1, 5, dtype=torch.float64).float()
y = t.to(device)
