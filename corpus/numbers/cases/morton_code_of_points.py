"""Points are sorted along a Morton curve of 11 bits an axis: the 33 bits of a code are put together in int32."""
import torch


def spread(v, bits=11):
    out = torch.zeros_like(v)
    for k in range(bits):
        out |= ((v >> k) & 1) << (3 * k)
    return out


def morton(points):
    low, high = points.amin(0), points.amax(0)
    cell = ((points - low) / (high - low) * 2047).round().int()
    x, y, z = cell.unbind(-1)
    return spread(x) | (spread(y) << 1) | (spread(z) << 2)  # fault: wrap


torch.manual_seed(0)
points = torch.randn(2000, 3)
code = morton(points)
order = code.argsort()


def harm():
    low, high = points.amin(0), points.amax(0)
    cell = ((points - low) / (high - low) * 2047).round().long()
    exact = sum(((cell[:, d] >> k) & 1) << (3 * k + d) for k in range(11) for d in range(3))
    return (code != exact).float().mean().item()

# right:
#-     cell = ((points - low) / (high - low) * 2047).round().int()
#+     cell = ((points - low) / (high - low) * 2047).round().long()
