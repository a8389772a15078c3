# ranks: 2
# machine: cpu
# real: errors
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
features = torch.randn(3 + dist.get_rank(), 4)
size = torch.tensor([len(features)])
sizes = [torch.zeros(1, dtype=torch.int64) for _ in range(dist.get_world_size())]
dist.all_gather(sizes, size)
most = len(features)
# fixed: most = max(int(s) for s in sizes)
padded = torch.zeros(most, 4)
padded[: len(features)] = features
parts = [torch.zeros_like(padded) for _ in sizes]
dist.all_gather(parts, padded)  # finding: collective-size-mismatch
features = torch.cat([part[: int(n)] for part, n in zip(parts, sizes)])
assert features.shape == (7, 4)
