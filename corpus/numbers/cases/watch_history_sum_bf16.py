"""A user's watch history is pooled with Python's sum over bfloat16 vectors: every addition is rounded and after some hundred videos the sum stalls."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
videos = nn.Embedding(1000, 32).bfloat16()
tower = nn.Linear(32, 16).bfloat16()
head = nn.Linear(16, 8).bfloat16()
history = torch.randint(0, 1000, (3000,))
with torch.no_grad():
    vectors = F.relu(tower(videos(history)))
    profile = sum(vectors) / len(vectors)  # fault: accumulate-in-half
    user = F.normalize(head(profile.bfloat16()).float(), dim=-1)


def harm():
    right = vectors.double().mean(0)
    return ((profile.double() - right).norm() / right.norm()).item()

# right:
#-     profile = sum(vectors) / len(vectors)
#+     profile = sum(vectors.float()) / len(vectors)
