# machine: v100
# real: cpu
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
logits = torch.zeros(2, 10, device=dev, dtype=torch.bfloat16 if dev == "cpu" else torch.float16)
topk = torch.randint(0, 10, (2, 3), device=dev)
logits.scatter_(1, topk, torch.ones(2, 3, device=dev))  # finding: operand-dtype-mismatch scatter_ src
# fixed: logits.scatter_(1, topk, torch.ones(2, 3, device=dev, dtype=logits.dtype))
counts = torch.zeros(10, device=dev).index_add_(0, topk.flatten(), torch.ones(6, device=dev))
