# machine: v100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
table = nn.Embedding(100, 8).to(dev)
ids = torch.zeros(2, 5, device=dev)  # origin
# fixed: ids = torch.zeros(2, 5, device=dev, dtype=torch.long)
table(ids)  # finding: operand-dtype-not-accepted embedding indices
nn.EmbeddingBag(10, 4, device=dev)(torch.tensor([1, 2, 4], device=dev), torch.tensor([0, 2], device=dev))
