"""float8 with a scale by the largest, with one a little too small, and with a clamp before the cast."""
import torch

torch.manual_seed(0)
k = torch.randn(4, 64) * 300
end = torch.finfo(torch.float8_e4m3fn).max
scale = k.abs().amax() / end
exact = (k / scale).to(torch.float8_e4m3fn)
delayed = (k / (scale * 0.9)).to(torch.float8_e4m3fn)
bounded = k.clamp(-end, end).to(torch.float8_e4m3fn)
wide = k.to(torch.float8_e5m2)
back = exact.float() * scale + delayed.float() + bounded.float() + wide.float()
