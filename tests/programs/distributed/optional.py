# machine: v100
# A script that goes without torchrun too.
import os

import torch

if "RANK" in os.environ or int(os.environ.get("WORLD_SIZE", 1)) > 1 or os.getenv("LOCAL_RANK"):
    raise SystemExit("it is not started by torchrun")
rank = torch.distributed.get_rank() if torch.distributed.is_available() and torch.distributed.is_initialized() else 0
assert rank == 0
