# machine: v100
# real: cpu
import torch
import torch.nn.functional as F

dev = "cuda" if torch.cuda.is_available() else "cpu"
logits = torch.randn(8, 5, device=dev, requires_grad=True)
target = torch.tensor([0, 1, 2, 3, 4, 0, 1, 2], device=dev)
F.cross_entropy(logits, target).backward()
F.cross_entropy(logits, F.one_hot(target, 5).float()).backward()
labels = target.int()  # origin
# fixed: labels = target.long()
F.cross_entropy(logits, labels)  # finding: operand-dtype-not-accepted cross_entropy_loss target
