#!/usr/bin/env bash
# datasets 4.4.1 with torch 2.13.0: with_format("torch") gives int64 for all integers and float32 for all floats, and
# so does "numpy".
# Guessed: a tensor has the dtype of its Arrow column. Pixels and masks in uint8 take eight times the memory; times in
# seconds, kept as float64, come up to 64 seconds off.
exec "$(dirname "$0")/compare" datasets==4.4.1 torch==2.13.0 numpy==2.4.6 <<'END'
from datasets import Dataset, Features, Sequence, Value

for arrow in ("uint8", "int32", "float16", "float64"):
    column = Features({"x": Sequence(Value(arrow))})
    rows = Dataset.from_dict({"x": [[1, 2]]}, features=column)
    stored = rows.with_format("arrow")[:]["x"].type.value_type
    print(stored, *(rows.with_format(name)[0]["x"].dtype for name in ("torch", "numpy")))
times = Dataset.from_dict({"seconds": [1764490700.0]}).with_format("torch")
print(times[0]["seconds"].item() - 1764490700.0)
#> uint8 torch.int64 int64
#> int32 torch.int64 int64
#> halffloat torch.float32 float32
#> double torch.float32 float32
#> 52.0
END
