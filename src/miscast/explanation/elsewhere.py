"""Whether a message is of another framework or of a compiler of C, which say the same of their own dtypes."""

from __future__ import annotations

from .frame import Frame
from .recognise import Recognised

_WORDS = (
    "tf.float", "tf.int", "tensorflow", "keras", "jax", "jnp.", "lax.", "flax",
    "paddle", "mxnet", "cupy", "mlx.", "graph_def", "ophastype", "eagertensor",
    "datatypeoftheintarray", "intarraybase", "invalid_argument:", "mindspore", "polars",
    "arrowstring", "pandas", "pyarrow", "numba", "opencv", "cv2.error", "ndarray.dtype",
    "oneflow::", "oneflow", "jittor", "tinygrad", "sqlalchemy", "protobuf", "pydantic",
    "bufferdtypemismatch", "cannotcastufunc",
    "ufunctypeerror", "analysisexception", "org.apache", "psqlexception", "[op:",
    "shapedarray", "enforcenotmet", "oserror", "errno", "daft", "cudf", "catboost",
    "(notfound)", "xgboost", "lightgbm",
    "taichi", "spirv_ir", "unknowntypename",
)  # fmt: skip
_FILES = (
    "tensorflow", "keras", "jax", "flax", "paddle", "mxnet", "cupy", "mindspore",
    "pandas", "polars", "optax", "sklearn", "scipy", "pyspark", "xgboost",
    "lightgbm", "statsmodels", "oneflow",
)  # fmt: skip
_CHECKS = ("torch_xla", "dgl", "tvm")
"""Of torch's world, and they check in TensorFlow's words."""
_ANYWHERE = ("checkfailed:",)
"""How frameworks that took over torch's texts, with its words, begin them: oneflow, TensorFlow."""
_NEAR = 3


def elsewhere(found: Recognised, frames: tuple[Frame, ...]) -> bool:
    """True where the message's words or its innermost frames name another framework."""
    if found.pattern.library in _CHECKS:
        return _by_files(frames)
    if any(word in found.message.text for word in _ANYWHERE):
        return True
    if found.pattern.library:
        return False
    return any(word in found.message.text for word in _WORDS) or _by_files(frames)


def _by_files(frames: tuple[Frame, ...]) -> bool:
    files = [frame.path.lower() for frame in frames[-_NEAR:]]
    return any(name in file for file in files for name in _FILES)
