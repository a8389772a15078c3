# ranks: 2
# machine: cpu
# real: errors
# A pipeline: the activations are half, the next stage makes room for float32.
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
if dist.get_rank() == 0:
    activations = torch.arange(4.0).half()  # other-origin
    dist.send(activations, 1)  # other
else:
    activations = torch.empty(4)  # origin
    # fixed: activations = torch.empty(4, dtype=torch.float16)
    dist.recv(activations, 0)  # finding: collective-dtype-mismatch
    assert activations.tolist() == [0.0, 1.0, 2.0, 3.0]
