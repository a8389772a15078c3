"""The dispatch key by which the virtual machine sees every op: the one above autograd that is open to others."""

from ..torch_private import DispatchKeySet, ExcludedKeys, dispatch_key

NAME = "TESTING_ONLY_GenericMode"
KEY = dispatch_key(NAME)
KEYSET = DispatchKeySet(KEY)
Exclude = ExcludedKeys
