#!/usr/bin/env bash
# nemo-automodel 0.5.0 with torch 2.13.0: the mixed precision policy of its FSDP2 strategy, bfloat16 by default, does
# nothing in one process, silently: the model computes in the dtype of its weights.
# Guessed: it is applied as torch's `fully_shard` does it, which casts on a mesh of one, too.
exec "$(dirname "$0")/compare" nemo-automodel==0.5.0 torch==2.13.0 <<'END'
import contextlib
import io
import os

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

with contextlib.redirect_stdout(io.StringIO()):  # it names a package that is not there
    from nemo_automodel.components.distributed.config import FSDP2Config
    from nemo_automodel.components.distributed.fsdp2 import FSDP2Manager

os.environ |= {"MASTER_ADDR": "localhost", "MASTER_PORT": "29519"}
dist.init_process_group("gloo", rank=0, world_size=1)
mesh = init_device_mesh("cpu", (1,), mesh_dim_names=("dp",))
config = FSDP2Config()
print("policy", config.mp_policy.param_dtype)
by_torch = fully_shard(torch.nn.Linear(4, 4), mesh=mesh, mp_policy=config.mp_policy)
print("fully_shard", by_torch(torch.ones(2, 4)).dtype)
by_automodel = FSDP2Manager(config, device_mesh=mesh).parallelize(torch.nn.Linear(4, 4))
print("FSDP2Manager", by_automodel(torch.ones(2, 4)).dtype)
dist.destroy_process_group()
#> policy torch.bfloat16
#> fully_shard torch.bfloat16
#> FSDP2Manager torch.float32
END
