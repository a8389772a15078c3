# ranks: 2
# machine: 2xa100
# FullyShardedDataParallel with mixed precision; the head outside of it takes what it gives.
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision
from torch.distributed.fsdp.wrap import ModuleWrapPolicy

dist.init_process_group("nccl")
torch.cuda.set_device(dist.get_rank())
model = FullyShardedDataParallel(
    nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8)),
    auto_wrap_policy=ModuleWrapPolicy({nn.Linear}),
    mixed_precision=MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.float32),
    device_id=torch.cuda.current_device(),
    use_orig_params=True,
)
head = nn.Linear(8, 2).cuda()
optimizer = torch.optim.AdamW([*model.parameters(), *head.parameters()])
for _ in range(2):
    features = model(torch.randn(4, 8, device="cuda"))
    assert features.dtype == torch.bfloat16
    loss = head(features).square().mean()  # finding: operand-dtype-mismatch
    # fixed: loss = head(features.float()).square().mean()
    loss.backward()
    model.clip_grad_norm_(1.0)
    optimizer.step()
    optimizer.zero_grad()
