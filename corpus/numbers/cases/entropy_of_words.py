"""Cross entropy over 20,000 words on bfloat16 logits: the loss is rounded to 1/16."""
import torch
import torch.nn.functional as F

torch.manual_seed(3)
logits = (torch.randn(64, 20000) * 3).to(torch.bfloat16)
words = torch.randint(20000, (64,))
loss = F.cross_entropy(logits, words)  # fault: statistics-in-half


def harm():
    return abs(loss.item() - F.cross_entropy(logits.double(), words).item())

# right:
#- loss = F.cross_entropy(logits, words)
#+ loss = F.cross_entropy(logits.to(torch.float32), words)
