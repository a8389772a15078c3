# machine: cpu
# real: cpu
import torch

assert not torch.cuda.is_available() and torch.cuda.device_count() == 0
device = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
x = torch.zeros(2, device=device)
assert x.device.type == "cpu" and not torch.cuda.is_bf16_supported()
