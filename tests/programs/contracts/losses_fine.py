# machine: v100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
a, b = (torch.randn(4, 8, device=dev, requires_grad=True) for _ in range(2))
label = torch.tensor([1, -1, 1, -1], device=dev)
total = nn.CosineEmbeddingLoss()(a, b, label) + nn.TripletMarginLoss()(a, b, a.flip(0))
total = total + nn.KLDivLoss(reduction="batchmean")(a.log_softmax(-1), b.softmax(-1)) + nn.HuberLoss()(a, b)
total = total + nn.MarginRankingLoss()(a[:, 0], b[:, 0], label) + nn.GaussianNLLLoss()(a, b, torch.ones_like(a))
total = total + nn.MultiLabelSoftMarginLoss()(a, (b > 0).float()) + nn.PoissonNLLLoss()(a, b.abs())
log_probs = torch.randn(10, 4, 6, device=dev).log_softmax(2).requires_grad_()
targets = torch.randint(1, 6, (4, 5), device=dev)
total = total + nn.CTCLoss()(log_probs, targets, torch.full((4,), 10), torch.full((4,), 5))
total.backward()
