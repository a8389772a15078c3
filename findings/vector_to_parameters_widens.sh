#!/usr/bin/env bash
# torch 2.13.0: parameters_to_vector and back makes bfloat16 parameters float32.
# Guessed: each parameter keeps its dtype, as load_state_dict keeps it. The vector has the widest dtype, and
# vector_to_parameters sets `.data` to a view of it: twice the memory, and the next matmul mixes dtypes.
exec "$(dirname "$0")/compare" torch==2.13.0 numpy==2.4.6 <<'END'
import torch
from torch.nn.utils import parameters_to_vector, vector_to_parameters

parameters = [*torch.nn.Linear(2, 2).to(torch.bfloat16).parameters(), *torch.nn.Linear(2, 1).parameters()]
vector_to_parameters(parameters_to_vector(parameters), parameters)
print([parameter.dtype for parameter in parameters])
#> [torch.float32, torch.float32, torch.float32, torch.float32]
END
