#!/usr/bin/env bash
# tensordict 0.15.3 with torch 2.13.0: half() of a TensorDict, and to(dtype), cast every entry.
# Guessed: the floating entries alone, as half() and to(dtype) of a module do. Token ids of more than 2048 are other
# tokens then, a mask is no mask, and the imaginary part of a spectrum is gone. Nothing is said.
exec "$(dirname "$0")/compare" tensordict==0.15.3 torch==2.13.0 numpy==2.4.6 <<'END'
import torch
from tensordict import TensorDict

entries = {"ids": torch.tensor([4097, 4099]), "mask": torch.tensor([True, False]), "x": torch.tensor([1 + 2j, 3j])}
for cast in (lambda some: some.half(), lambda some: some.to(torch.bfloat16)):
    for name, entry in cast(TensorDict(entries, batch_size=[2])).items():
        print(name, entry.dtype, entry.tolist())
buffers = torch.nn.Module()
buffers.register_buffer("ids", entries["ids"])
print(buffers.half().ids.dtype)
#> ids torch.float16 [4096.0, 4100.0]
#> mask torch.float16 [1.0, 0.0]
#> x torch.float16 [1.0, 0.0]
#> ids torch.bfloat16 [4096.0, 4096.0]
#> mask torch.bfloat16 [1.0, 0.0]
#> x torch.bfloat16 [1.0, 0.0]
#> torch.int64
END
