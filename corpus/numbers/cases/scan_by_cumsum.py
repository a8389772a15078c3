"""A linear recurrence by dividing by its cumulative decay: after 200 steps the decay is 0 in float32, the rest NaN."""
import torch


def scan(a, x):
    decay = torch.cumprod(a, 1)
    return decay * torch.cumsum(x / decay, 1)  # fault: underflow


torch.manual_seed(0)
a = torch.rand(2, 400, 4) * 0.2 + 0.5
x = torch.randn(2, 400, 4)
h = scan(a, x)


def loop(a, x):
    h, out = torch.zeros(2, 4), []
    for t in range(a.shape[1]):
        h = a[:, t] * h + x[:, t]
        out.append(h)
    return torch.stack(out, 1)


def harm():
    exact = loop(a, x)
    return ((h - exact).abs() > 1e-2).float().mean().item() + (~h.isfinite()).float().mean().item()

# right:
#- h = scan(a, x)
#+ h = loop(a, x)
#- def loop(a, x):
#-     h, out = torch.zeros(2, 4), []
#-     for t in range(a.shape[1]):
#-         h = a[:, t] * h + x[:, t]
#-         out.append(h)
#-     return torch.stack(out, 1)
#+ pass
#- torch.manual_seed(0)
#+ def loop(a, x):
#+     h, out = torch.zeros(2, 4), []
#+     for t in range(a.shape[1]):
#+         h = a[:, t] * h + x[:, t]
#+         out.append(h)
#+     return torch.stack(out, 1)
#+
#+
#+ torch.manual_seed(0)
