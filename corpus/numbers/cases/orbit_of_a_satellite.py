"""A satellite's place in metres, 7 million of them, takes steps of 7 centimetres in float32: it stands still."""
import torch


def simulate(pos, vel, dt, steps):
    mu = 3.986004418e14
    for _ in range(steps):
        r = pos.norm(dim=-1, keepdim=True)
        vel = vel - dt * mu * pos / r**3
        pos = pos + dt * vel  # fault: accumulate-in-half
    return pos, vel


pos = torch.tensor([[7.0e6, 0.0, 0.0], [0.0, 7.2e6, 0.0]])
vel = torch.tensor([[7500.0, 800.0, 0.0], [500.0, 7400.0, 0.0]])
start = pos.clone()
end, _ = simulate(pos, vel, 1e-5, 800)


def harm():
    exact, _ = simulate(start.double(), vel.double(), 1e-5, 800)
    return ((end.double() - exact).norm() / (exact - start.double()).norm()).item()

# right:
#- end, _ = simulate(pos, vel, 1e-5, 800)
#+ end, _ = simulate(pos.double(), vel.double(), 1e-5, 800)
