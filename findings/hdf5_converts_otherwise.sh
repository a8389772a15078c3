#!/usr/bin/env bash
# h5py 3.16.0 with NumPy 2.4.6: HDF5 converts numbers by rules of its own.
# Guessed: as `astype`. Written to a dataset of uint8, 300 is 255, -5 is 0 and NaN is 0, where NumPy wraps 300 to 44
# and -5 to 251. To float16, 1e6 is inf as in NumPy. bfloat16 of ml_dtypes comes back as two bytes without a type.
exec "$(dirname "$0")/compare" h5py==3.16.0 numpy==2.4.6 ml_dtypes==0.6.0 <<'END'
import h5py
import ml_dtypes
import numpy as np

values = np.array([300.0, -5.0, np.nan])
with h5py.File("x.h5", "w") as file:
    file.create_dataset("bytes", data=values, dtype="u1")
    file.create_dataset("half", data=np.array([1e6]), dtype="f2")
    file["brain"] = np.ones(1, ml_dtypes.bfloat16)
with h5py.File("x.h5") as file:
    print(file["bytes"][:].tolist(), values[:2].astype(np.int64).astype("u1").tolist())
    print(file["half"][:].tolist(), file["brain"].dtype)
#> [255, 0, 0] [44, 251]
#> [inf] |V2
END
