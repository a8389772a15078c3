# machine: a100
# real: cpu
# SimpleTuner's gradient_precision=fp32 with bfloat16 parameters.
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Linear(8, 8).to(dev, torch.bfloat16)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.1, betas=(0.9, 0.95))
model(torch.randn(2, 8, device=dev, dtype=torch.bfloat16)).sum().backward()
for param in model.parameters():
    param.grad.data = param.grad.data.to(torch.float32)
    # fixed: param.grad.data = param.grad.data.clamp(-1, 1)
optimizer.step()  # finding: gradient-dtype-mismatch _foreach_lerp_ tensors1[0]
