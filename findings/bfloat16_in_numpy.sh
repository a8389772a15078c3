#!/usr/bin/env bash
# ml_dtypes 0.6.0 with NumPy 2.4.6: bfloat16 is no floating point type to NumPy.
# Guessed: as float16. The mean of 1,000 ones is 0.256, as the sum ends at 256 (float16: 1,000, and a mean of 1); an
# array and Python's number give float32, where float16 stays; np.save keeps two bytes without a type; issubdtype says
# no, finfo raises.
exec "$(dirname "$0")/compare" numpy==2.4.6 ml_dtypes==0.6.0 <<'END'
import ml_dtypes
import numpy as np

for kind in (ml_dtypes.bfloat16, np.float16):
    ones = np.ones(1000, kind)
    np.save("ones.npy", ones)
    sums = float(ones.sum()), round(float(ones.mean()), 3)
    print(np.dtype(kind), *sums, (ones + 1.0).dtype, np.load("ones.npy").dtype)
    print(np.issubdtype(kind, np.floating))
#> bfloat16 256.0 0.256 float32 |V2
#> False
#> float16 1000.0 1.0 float16 float16
#> True
END
