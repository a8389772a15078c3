# machine: a100
# Without mixed precision an Accelerator's autocast does nothing: what is cast by hand within meets float32.
import torch
from accelerate import Accelerator
from torch import nn

accelerator = Accelerator()
vision = accelerator.prepare(nn.Linear(8, 4))
action = nn.Linear(4, 2).to(accelerator.device, torch.bfloat16)
x = torch.randn(3, 8, device=accelerator.device)
with accelerator.autocast():
    action(vision(x))  # finding: operand-dtype-mismatch linear input
with torch.autocast("cuda", torch.bfloat16), accelerator.autocast():
    action(vision(x))
