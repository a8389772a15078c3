"""Wrong values for a dtype, and the dtypes that autocast accepts in this version of torch."""

from ..pattern import Pattern

PATTERNS = (
    Pattern(
        name="no-dtype-given", category="precision-config", op="from_pretrained",
        texts=(
            "{op:name}(): argument dtype must be torch.dtype, not {...}",
            "torch_dtype can be [either |]{...}, but received [a |]{...}",
        ),
        implies=("dtype-as-text",), raised_by="torch.ones(2, dtype='float16')",
        examples=('ValueError: `torch_dtype` can be either `torch.dtype` or `"auto"`, but received float16',),
    ),
    Pattern(
        name="autocast-argument", category="precision-config", op="autocast",
        texts=(
            "autocast.__init__() got an unexpected keyword argument",
            "autocast.__init__() missing 1 required positional argument: device_type",
            "[is_autocast_enabled|get_autocast_dtype|get_autocast_gpu_dtype]() takes [no|exactly]",
        ),
        implies=("torch-spells-amp-otherwise",), raised_by="torch.amp.autocast()",
        examples=(
            "TypeError: autocast.__init__() got an unexpected keyword argument 'dtype'",
            "TypeError: is_autocast_enabled() takes no arguments (1 given)",
        ),
    ),
)
