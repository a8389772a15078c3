# machine: v100
# real: cpu
# Boxes are left out until none remains, in three spellings.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
boxes, scores = torch.rand(60, 4, device=dev), torch.rand(60, device=dev)


def overlap(one, others):
    return (others - one).abs().sum(1)


order = scores.argsort(descending=True)
keep = []
while order.numel() > 0:
    i = order[0]
    keep.append(i.item())
    if order.numel() == 1:
        break
    inds = (overlap(boxes[i], boxes[order[1:]]) > 0.7).nonzero().squeeze(1)
    order = order[inds + 1]
assert 0 < len(keep) <= 60 and len(set(keep)) == len(keep)
heap = torch.arange(40, device=dev)
while True:
    heap = heap[(torch.rand(len(heap), device=dev) < 0.7).nonzero().squeeze(1)]
    if heap.numel() == 0:
        break
pool = torch.arange(40, device=dev)
while len(pool) > 0:
    lost = torch.rand(pool.shape[0], device=dev) < 0.3
    rest = torch.where(~lost)[0]
    pool = pool[rest]
points = torch.rand(30, 3, device=dev)
while points.shape[0] > 3:
    idx = torch.nonzero(points.norm(dim=1) < points.norm(dim=1).max(), as_tuple=False).flatten()
    points = torch.index_select(points, 0, idx)
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
