# machine: v100
# real: cpu
import time

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function

dev = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Linear(8, 8).to(dev)
x = torch.randn(2, 8, device=dev)
with torch.autograd.set_detect_anomaly(True), torch.backends.cudnn.flags(enabled=True, benchmark=False):
    start = time.time()
    with record_function("forward"):
        y = model(x)
    if dev == "cuda":
        torch.cuda.synchronize()
    y.sum().backward()
with profile(activities=[ProfilerActivity.CPU]) as prof:
    model(x)
prof.key_averages().table(row_limit=2)
with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
    q = torch.randn(1, 1, 4, 8, device=dev)
    nn.functional.scaled_dot_product_attention(q, q, q)
