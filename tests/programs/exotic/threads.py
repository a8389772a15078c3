# machine: v100
import threading

import torch

results = []


def work(i):
    results.append(torch.nn.Linear(4, 4).cuda()(torch.randn(2, 4, device="cuda")).device)


threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
[t.start() for t in threads], [t.join() for t in threads]
assert all(d.type == "cuda" for d in results) and len(results) == 3
