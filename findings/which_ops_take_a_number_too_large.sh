#!/usr/bin/env bash
# torch 2.13.0, CPU: whether a number that float16 cannot hold is refused depends on the op and on how many elements
# there are.
# Guessed: refused everywhere, as masked_fill refuses -1e9. where, an addition and x[0] = 1e9 give inf; so does
# torch.full of one element, but not of two.
exec "$(dirname "$0")/compare" torch==2.13.0 numpy==2.4.6 <<'END'
import torch

ones, mask = torch.ones(2, dtype=torch.float16), torch.tensor([True, False])


def item(index, value):
    x = ones.clone()
    x[index] = value
    return x


for name, call in {
    "masked_fill": lambda: ones.masked_fill(mask, 1e9),
    "clamp": lambda: ones.clamp(max=1e9),
    "full of two": lambda: torch.full((2,), 1e9, dtype=torch.float16),
    "full of one": lambda: torch.full((1,), 1e9, dtype=torch.float16),
    "where": lambda: torch.where(mask, 1e9, ones),
    "add": lambda: ones + 1e9,
    "an item": lambda: item(0, 1e9),
}.items():
    try:
        print(name, call().tolist())
    except RuntimeError as error:
        print(name, "-", error)
#> masked_fill - value cannot be converted to type c10::Half without overflow
#> clamp - value cannot be converted to type c10::Half without overflow
#> full of two - value cannot be converted to type c10::Half without overflow
#> full of one [inf]
#> where [inf, 1.0]
#> add [inf, inf]
#> an item [inf, 1.0]
END
