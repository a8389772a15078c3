"""The dispatch key by which the virtual machine sees every op: the one above autograd that is open to others."""

import torch

from ..running.torch_abi import DispatchKeySet, dispatch_key

NAME = "TESTING_ONLY_GenericMode"
KEY = dispatch_key(NAME)
KEYSET = DispatchKeySet(KEY)
Exclude = torch._C._ExcludeDispatchKeyGuard
