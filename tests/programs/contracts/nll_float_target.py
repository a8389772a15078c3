# machine: v100
# real: cpu
import torch
import torch.nn.functional as F

dev = "cuda" if torch.cuda.is_available() else "cpu"
log_probs = torch.randn(8, 5, device=dev).log_softmax(-1)
target = torch.zeros(8, device=dev)  # origin
# fixed: target = torch.zeros(8, device=dev, dtype=torch.int64)
F.nll_loss(log_probs, target)  # finding: operand-dtype-not-accepted nll_loss_nd target
