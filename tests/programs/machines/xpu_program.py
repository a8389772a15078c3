# machine: max1100
# Intel's GPU: a training step as programs write it for one, its memory and seeds, and mistakes in it.
import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("xpu" if torch.xpu.is_available() else "cpu")
assert device == torch.accelerator.current_accelerator() and not torch.cuda.is_available()
torch.xpu.manual_seed(3)
model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Dropout(0.1), nn.Linear(144, 10)).to(device)
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
scaler = torch.amp.GradScaler("xpu")
x = torch.randn(2, 3, 8, 8).xpu()
with torch.autocast("xpu", dtype=torch.float16):
    out = model(x)
    assert out.dtype is torch.float16
    loss = F.cross_entropy(out, torch.tensor([1, 2], device=device))
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
assert torch.xpu.max_memory_allocated() >= torch.xpu.memory_allocated() > 0 and x.is_xpu
torch.xpu.synchronize()
q = torch.randn(1, 4, 4096, 64, device=device, dtype=torch.bfloat16)
before = torch.xpu.memory_allocated()
assert F.scaled_dot_product_attention(q, q, q).dtype is torch.bfloat16
assert torch.xpu.max_memory_allocated() - before < 4 * 4096 * 4096
model.to(torch.bfloat16)
# fixed: model.to(torch.float32)
model(x)  # finding: operand-dtype-mismatch conv2d input
model.float()(torch.randn(2, 3, 8, 8))  # finding: operand-device-mismatch conv2d input
# fixed: model.float()(torch.randn(2, 3, 8, 8, device=device))
