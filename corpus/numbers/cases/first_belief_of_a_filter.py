"""A Kalman filter begins with a covariance of 1e5 on its diagonal, in the float16 of its measurements."""
import torch


class Filter:
    def __init__(self, dim, dtype):
        self.x = torch.zeros(dim, 1, dtype=dtype)
        self.P = torch.eye(dim, dtype=dtype) * 1e5  # fault: overflow
        self.R = torch.tensor(0.5, dtype=dtype)

    def update(self, h, z):
        innovation = h @ self.P @ h.T + self.R
        gain = self.P @ h.T / innovation
        self.x = self.x + gain * (z - (h @ self.x))
        self.P = self.P - gain @ h @ self.P


torch.manual_seed(0)
kalman = Filter(2, torch.float16)
for k in range(20):
    h = torch.tensor([[1.0, 0.1 * k]], dtype=kalman.x.dtype)
    z = (h.float() @ torch.tensor([[2.0], [-1.0]]) + 0.1 * torch.randn(1, 1)).to(h.dtype)
    kalman.update(h, z)


def harm():
    off = (kalman.x.float() - torch.tensor([[2.0], [-1.0]])).abs().max().nan_to_num(9.0, 9.0)
    return off.item()

# right:
#- kalman = Filter(2, torch.float16)
#+ kalman = Filter(2, torch.float32)
