"""Operands on different devices."""

from ..pattern import OpClue, Pattern

PATTERNS = (
    Pattern(
        name="one-on-another-device", category="device-mismatch",
        texts=("{arg:name} is on {found:device}, different from other tensors on {expected:device}",),
    ),
    Pattern(
        name="same-device", category="device-mismatch",
        texts=(
            ("Expected all tensors to be on the same device, but found at least two devices, {expected:device} and "
             "{found:device}! (when checking [argument for argument|arugment for argument] {arg:name} in method "
             "{op:name})"),
            "Expected all tensors to be on the same device, but found at least two devices, {a:device} and {b:device}",
            "Expected all tensors to be on the same device, but found {a:device} and {b:device}",
        ),
        usual_op=(OpClue(op="elementwise"),),
    ),
    Pattern(
        name="same-device-plain", category="device-mismatch",
        texts=(
            ("Expected all tensors to be on the same device. {op:name}[:|] expected {arg:name} to be [a |]CPU tensor, but "
             "got tensor on {found:device}"),
            "Expected tensors to be on the same device, but found {...}{a:device}{...} and {...}{b:device}",
            "[Expected all tensors to|tensors must all|All tensors must] be on the same device",
            "Expected b and A to be on the same device, but found b on {b:device} and A on {A:device}",
            "[exceptted|excepted|expeted] device {expected:device} but got device {found:device}",
            "Attempted to call variable.set_data(tensor), but variable and tensor have incompatible tensor type",
            "You can't train a model that has been loaded in 8-bit [|or 4-bit ]precision on a different device than the one you're training on",
            ("Expected all tensors to be on the same device, but got {arg:name} is on {found:device}, different from "
             "other tensors on {expected:device} (when checking argument in method {op:name})"),
            ("Expected all tensors to be on the same device, but got {arg:name} is on {found:device}, different from "
             "other tensors on {expected:device}"),
            ("Expected tensor for [argument #{n:int} |]{arg:name} to have the same device as tensor for argument "
             "#{m:int} {other:name}; but device {found:device} does not equal {expected:device} (while checking "
             "arguments for {op:name})"),
            "Expected tensor for argument #{n:int} {arg:name} to have the same device as tensor for argument #{m:int} {other:name}",
            ("Tensor for [argument #{n:int} |]{arg:name} is on {found:device}, but expected [it|them] to be on "
             "{expected:device} (while checking arguments for {op:name})"),
            "{op:name}: expected '{arg:name}' to be [a |]{expected:device} tensor, but got [a |]{found:device} tensor",
            "{op:name} expects all inputs tensors on the same device",
        ),
        examples=(
            "RuntimeError: Expected all tensors to be on the same device. addmm: expected 'mat1' to be a CPU tensor, but got tensor on GPU",
            ("RuntimeError: Expected all tensors to be on the same device, but got mat1 is on cpu, different from other "
             "tensors on cuda:0 (when checking argument in method wrapper_CUDA_addmm)"),
            "RuntimeError: add: expected 'other' to be a CPU tensor, but got a CUDA tensor",
            "RuntimeError: _chunk_cat expects all inputs tensors on the same device",
        ),
    ),
    Pattern(
        name="current-device", category="device-mismatch", op="embedding",
        texts=("Input, output and indices must be on the current device",),
    ),
    Pattern(
        name="indices-device", category="device-mismatch", op="index",
        texts=(
            "indices should be either on [cpu|{index:device}] or on the same device as the indexed tensor ({self:device})",
            "indices should be either on {...}same device as the indexed tensor",
        ),
        operands=(("index", "", ""),),
    ),
    Pattern(
        name="graph-feature-devices", category="device-mismatch", op="ndata", library="dgl",
        texts=("Cannot assign [node|edge] feature {...} on device {feature:device} to a graph on device {graph:device}",),
    ),
    Pattern(
        name="cat-devices", category="device-mismatch", op="cat",
        texts=("[torch.cat(): |]all input tensors must be on the same device. Received {a:device} and {b:device}",),
    ),
    Pattern(
        name="named-same-device", category="device-mismatch",
        texts=(
            "{op:name}(): expected input and grid to be on same device, but input is on {input:device} and grid is on {grid:device}",
            ("{op:name}(): self, index and source expected to be in the same device, but got (self) {self:device}, "
             "(index) {index:device}, and (source) {source:device}"),
            "expected self and mask to be on the same device, but got mask on {mask:device} and self on {self:device}",
            ("expected condition, x and y to be on the same device, but condition is on {condition:device} and x and y "
             "are on {x:device} and {y:device}"),
            "{op:name}(): [all|both] {...} must be on the same device{...}{a:device} and {b:device}",
            "istft input and window must be on the same device but got self on {input:device} and window on {window:device}",
            "stft input and window must be on the same device but got self on {input:device} and window on {window:device}",
            "{op:name} input and window must be on the same device but got self on {input:device} and window on {window:device}",
            "{op:name}: input tensors must all be on the same device",
            "{op:name}: Expected inputs to be on same device",
            "{op:name} arguments must have the same device",
            "multi_dot(): all tensors must be on the same device but tensor 0 is on {a:device} and tensor {n:int} {b:device}",
            "expected each tensor to be on the same device, but got devices {a:device} and {b:device}",
        ),
        op_clues=(
            OpClue(op="masked_fill", place="operand", words=("mask",)),
            OpClue(op="where", place="operand", words=("condition",)),
        ),
        raised_by="torch.stft(torch.ones(8), 4, window=torch.ones(4, device='meta'), return_complex=True)",
    ),
)
