"""The dispatch key by which the virtual machine sees every op: the one above autograd that is open to others."""

import torch

NAME = "TESTING_ONLY_GenericMode"
KEY = torch._C._dispatch_key_parse(NAME)
KEYSET = torch._C.DispatchKeySet(KEY)
Exclude = torch._C._ExcludeDispatchKeyGuard
