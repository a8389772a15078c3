"""Hits of an evaluation are counted in float16: behind 2048 single hits are lost."""
import torch

torch.manual_seed(1)
hits = torch.tensor(0.0).half()
seen = 0
for _ in range(4500):
    guess, truth = torch.randint(0, 2, (1,)), torch.randint(0, 2, (1,))
    match = (guess == truth).sum()
    hits = hits + match.half()  # fault: accumulate-in-half
    seen += int(match)


def harm():
    return abs(hits.item() / seen - 1)

# right:
#- hits = torch.tensor(0.0).half()
#+ hits = torch.tensor(0)
#-     hits = hits + match.half()
#+     hits = hits + match
