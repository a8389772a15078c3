"""The residual of a heat equation takes a second difference with a step of 1e-3 of a float32 network."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
x = torch.rand(256, 1)


def curvature(f, x, h=1e-3):
    return (f(x + h) - 2 * f(x) + f(x - h)) / h**2  # fault: cancellation


with torch.no_grad():
    found = curvature(net, x)
residual = (found - torch.sin(3 * x)).square().mean()


def harm():
    double = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1)).double()
    double.load_state_dict(net.state_dict())
    with torch.no_grad():
        exact = curvature(double, x.double())
    return ((found - exact).norm() / exact.norm()).item()

# right:
#-     found = curvature(net, x)
#+     found = curvature(net.double(), x.double())
