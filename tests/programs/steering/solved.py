# machine: v100
# real: cpu
# Episodes until the mean reward of the last ten is high.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
from collections import deque

last = deque(maxlen=10)
episode = 0
while True:
    reward = torch.rand(20, device=dev).sum().item() + episode * 2
    last.append(reward)
    episode += 1
    if len(last) == 10 and sum(last) / 10 > 195:
        print("solved")
        break
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
