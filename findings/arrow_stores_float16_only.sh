#!/usr/bin/env bash
# pyarrow 26.0.1: float16 is stored, and nothing computes in it.
# Guessed: sums and comparisons in float32, as NumPy's. Parquet keeps the type and a cast to it gives inf for 1e6
# without an error (to int8 it raises), but sum, mean, add and greater have no kernel: features saved as halves cannot
# be filtered.
exec "$(dirname "$0")/compare" pyarrow==26.0.1 numpy==2.4.6 <<'END'
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

half = pa.array(np.ones(2, np.float16))
pq.write_table(pa.table({"x": half}), "x.parquet")
print(pq.read_table("x.parquet").schema.field("x").type, pa.array([1e6]).cast(pa.float16()))
for name, call in {
    "sum": lambda: pc.sum(half),
    "mean": lambda: pc.mean(half),
    "add": lambda: pc.add(half, half),
    "greater": lambda: pc.greater(half, half),
    "to int8": lambda: pa.array([1e6]).cast(pa.int8()),
}.items():
    try:
        print(name, call())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:
        print(name, "-", type(error).__name__)
#> halffloat [
#>   inf
#> ]
#> sum - ArrowNotImplementedError
#> mean - ArrowNotImplementedError
#> add - ArrowNotImplementedError
#> greater - ArrowNotImplementedError
#> to int8 - ArrowInvalid
END
