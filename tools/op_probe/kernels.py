"""Read the dtypes of each op's CUDA kernels from torch's operator database, without a GPU.

    PYTHONPATH=tools python -m op_probe.kernels > src/miscast/torch_facts/contracts/kernels-cuda.json

torch's own tests hold the database's `dtypesIfCUDA` to what the kernels accept (test/test_ops.py test_dtypes), so it is
a source for declared contracts where no table was measured. It counts a dtype as lacking too where only a test had no
use for it; so an op is left out if the database is wrong about the same op on the CPU.
"""

from __future__ import annotations

import json
import logging
import sys
import warnings
from itertools import islice
from typing import Any

import torch

from miscast.running.torch_abi import tree_map_only
from miscast.torch_facts.contracts.kernels import STATED
from miscast.torch_facts.contracts.signature import DTYPES, LETTERS

_SAMPLES = 6


def declared() -> dict[str, str]:
    """Return the letters of the dtypes by op ("aten.linalg_cholesky": "fdFD"), for ops that lack some."""
    found: dict[str, set[str]] = {}
    wrong: set[str] = set()
    for info in _database():
        op = _aten(info)
        if op and _is_right(info):
            found.setdefault(op, set()).update(_letters(info.dtypesIfCUDA))
        else:
            wrong.add(op)
    stated = {
        op: "".join(d for d in STATED if d in found[op])
        for op in sorted(found.keys() - wrong)
    }
    return {
        op: letters for op, letters in stated.items() if letters not in ("", STATED)
    }


def _database() -> list[Any]:
    from torch.testing._internal import common_cuda

    for name in [
        n for n in vars(common_cuda) if n.startswith("SM") and n.endswith("OrLater")
    ]:
        # what only newer GPUs have counts as there: no false alarm on any
        setattr(common_cuda, name, True)
    from torch.testing._internal.common_methods_invocations import op_db

    return list(op_db)


def _letters(dtypes: Any) -> set[str]:
    return {LETTERS.get(str(dtype).removeprefix("torch."), "") for dtype in dtypes}


def _aten(info: Any) -> str:
    """Return the op that a database entry calls; empty where it is Python code around several."""
    names = [
        info.aten_name or "",
        info.name.removeprefix("nn.functional."),
        info.name.replace(".", "_"),
    ]
    name = next(
        (n for n in names if n.isidentifier() and hasattr(torch.ops.aten, n)), ""
    )
    return f"aten.{name}" if name else ""


def _is_right(info: Any) -> bool:
    """Check whether on the CPU each dtype that the database leaves out is refused for some sample."""
    stated = _letters(info.dtypes)
    base = next(
        (DTYPES[letter] for letter in ("f", "l", *stated) if letter in stated), None
    )
    if base is None:
        return False
    dtype = getattr(torch, base)
    samples = list(islice(info.sample_inputs_func(info, "cpu", dtype, False), _SAMPLES))
    return all(
        any(
            _refused(info, sample, dtype, getattr(torch, DTYPES[letter]))
            for sample in samples
        )
        for letter in STATED
        if letter not in stated
    )


def _refused(info: Any, sample: Any, base: torch.dtype, dtype: torch.dtype) -> bool:
    call = (sample.input, sample.args, sample.kwargs)
    first, args, kwargs = tree_map_only(
        torch.Tensor, lambda t: t.to(dtype) if t.dtype is base else t, call
    )
    try:
        info.op(first, *args, **kwargs)
    except Exception:  # noqa: BLE001 - whatever it is, the call was refused
        return True
    return False


def main() -> None:
    """Print the data file."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    source = f"dtypesIfCUDA of torch.testing._internal.common_methods_invocations, torch {torch.__version__}"
    json.dump({"source": source, "ops": declared()}, sys.stdout, indent=0)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
