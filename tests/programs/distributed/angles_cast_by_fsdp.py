# machine: a100
import os

import torch
import torch.distributed as dist
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


class Turn(torch.nn.Linear):
    def forward(self, x, angles):
        return super().forward(x * angles.float().cos().bfloat16())  # finding: angle-rounds cos self


os.environ.update(RANK="0", WORLD_SIZE="1", MASTER_ADDR="localhost", MASTER_PORT="29518")
dist.init_process_group("nccl")
policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16)
# fixed: policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, cast_forward_inputs=False)
model = fully_shard(Turn(8, 8).cuda(), mp_policy=policy)
angles = torch.arange(1000, device="cuda")[:, None] * 10000.0 ** (-torch.arange(8, device="cuda") / 8)
model(torch.zeros(1000, 8, device="cuda", dtype=torch.bfloat16), angles)  # origin
dist.destroy_process_group()
