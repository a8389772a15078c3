"""The hits of an evaluation are added up in the dtype of the logits: in bfloat16 a batch's hits no longer change a total of tens of thousands."""
import torch
from torch import nn

torch.manual_seed(0)
classifier = nn.Linear(16, 10).bfloat16()
hits, seen = torch.zeros((), dtype=torch.bfloat16), 0
hits_of_batches = []
with torch.no_grad():
    for _ in range(800):
        inputs = torch.randn(64, 16).bfloat16()
        logits = classifier(inputs)
        labels = logits.argmax(-1)
        labels[:6] = (labels[:6] + 1) % 10
        correct = logits.argmax(-1) == labels
        hits_of_batches.append(int(correct.sum()))
        hits += correct.to(hits.dtype).sum()  # fault: accumulate-in-half
        seen += len(labels)
accuracy = hits.item() / seen


def harm():
    right = sum(hits_of_batches) / seen
    return abs(accuracy - right) / right

# right:
#- hits, seen = torch.zeros((), dtype=torch.bfloat16), 0
#+ hits, seen = torch.zeros((), dtype=torch.int64), 0
#-         hits += correct.to(hits.dtype).sum()
#+         hits += correct.sum()
