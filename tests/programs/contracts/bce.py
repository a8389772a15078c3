# machine: v100
# real: cpu
import torch
import torch.nn.functional as F

dev = "cuda" if torch.cuda.is_available() else "cpu"
logits = torch.randn(8, 1, device=dev, requires_grad=True)
labels = torch.randint(0, 2, (8, 1), device=dev)
# fixed: labels = torch.randint(0, 2, (8, 1), device=dev).float()
F.binary_cross_entropy_with_logits(logits, labels.float()).backward()
F.binary_cross_entropy(torch.sigmoid(logits), labels)  # finding: operand-dtype-not-accepted binary_cross_entropy target
