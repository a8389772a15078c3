# machine: m2
# A program that asks for the Mac around `mps` finds one; a library that chooses its files by the system finds the real.
import platform
import sys
import uuid
from platform import machine

import torch

if torch.backends.mps.is_available():
    version = tuple(int(n) for n in platform.mac_ver()[0].split("."))
    assert version >= (14, 0) and platform.mac_ver()[2] == "arm64"
    assert (platform.system(), machine(), platform.processor()) == ("Darwin", "arm64", "arm")
    assert platform.platform().startswith("macOS-")
    assert sys.platform in ("linux", "darwin")
    assert uuid.uuid4() and torch.backends.mps.is_macos_or_newer(14, 0)
    dtype = torch.bfloat16 if version >= (14,) else torch.float16
    torch.nn.Linear(2, 2, device="mps", dtype=torch.float16)(torch.ones(2, 2, device="mps"))  # finding: operand-dtype-mismatch linear input
else:
    raise SystemExit("no mps")
