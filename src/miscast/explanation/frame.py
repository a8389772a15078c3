"""One frame of a traceback, in any of the forms that people paste, and whose code it is.

File "train.py", line 12, in main            Python
Cell In[5], line 3                           notebooks, and their older forms
│ /opt/x/site-packages/peft/lora.py:356 in forward │       rich
tests/test_x.py:12: RuntimeError             pytest
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..core.frozen import dataclass, replace
from ..core.regex import regex

# fmt: off
_FORMS = (
    regex(
        r'File \\?"(?P<file>[^"\\]{1,400}(?:\\+[^"\\]{1,400}){0,40})\\?", line (?P<line>\d{1,8})(?:, in (?P<function>.{1,200}))?'
    ),
    # the first line of what was pasted has often lost its "File"
    regex(r'^"(?P<file>[^"\s]{1,400}\.py)", line (?P<line>\d{1,8}), in (?P<function>[\w.<>]{1,200})'),
    regex(
        r"^(?:File )?(?P<file>[^\s:│][^:│]{0,400}?\.py[cx]?):(?P<line>\d{1,8}),? in(?: (?P<function>[\w.<>]{1,200})|$)"
    ),
    regex(r"^File (?P<file>[^\s:]{1,400}\.py):(?P<line>\d{1,8})(?:, in (?P<function>[\w.<>]{1,200}))?"),
    regex(r"^\[?(?P<file>[~/\w.][^\s\]]{0,400}\.py)\]?(?:\([^()\s]{0,200}\))? in (?P<function>[\w.<>]{1,200})\("),
    regex(
        r"^(?P<file>(?:Cell |Input )?In ?\[\d{1,6}\]),? ?(?:line (?P<line>\d{1,8}))?(?:,? ?in (?P<function><?[^>]{1,60}>?))?"
    ),
    regex(
        r"^(?:File )?(?P<file><(?:ipython-input-|command-|timed)[^>]{0,100}>)(?:[:, ]+(?:line )?(?P<line>\d{1,8}))?(?:,? in (?P<function>.{1,80}))?"
    ),
    regex(r"^(?P<file>\S{1,400}\.py):(?P<line>\d{1,8}): (?P<function>)\w{0,40}(?:Error|Exception)?$"),
)
# fmt: on
_WORD = regex(r"\w\w")
_HINT = (".py", "File ", "In [", "In[", "<ipython", "<command", "<timed")
_POINTED = regex(
    r"^(?:-{1,6}> ?|❱ {0,6}|> {1,6})(?P<line>\d{1,8}) ?[│|]?(?P<code>.{0,400})$"
)
_NUMBERED = regex(r"^ {0,8}\d{1,8}[ │|]{1,4}(?P<code>.{0,400})$")
_LIBRARIES = (
    "torch", "torchvision", "torchaudio", "torchmetrics", "torch_npu", "torchao", "torchtune", "torchtitan",
    "diffusers", "transformers", "accelerate", "peft", "trl", "bitsandbytes", "deepspeed", "lightning",
    "pytorch_lightning", "lightning_fabric", "xformers", "flash_attn", "triton", "apex", "fairscale", "vllm",
    "unsloth", "unsloth_zoo", "optimum", "auto_gptq", "awq", "sentence_transformers", "datasets", "tokenizers",
    "safetensors", "numpy", "scipy", "pandas", "gradio", "anyio", "uvicorn", "fastapi", "starlette", "ray", "mmcv",
    "mmengine", "timm", "open_clip", "clip", "kornia", "ignite", "fastai", "monai", "detectron2", "fvcore",
    "jaxtyping", "onnxruntime", "tensorrt", "torch_tensorrt", "composer", "llmfoundry", "IPython", "ipykernel",
    "_pytest", "pluggy", "click", "typer", "hydra", "pydevd", "k_diffusion", "torch_geometric", "pyro", "gpytorch",
    "botorch", "skorch", "whisper", "functorch", "sageattention", "einops", "spandrel", "megatron", "colossalai",
    "prodigyopt", "came_pytorch", "lion_pytorch", "dadaptation", "schedulefree", "liger_kernel", "ema_pytorch",
    "thop", "torchsummary", "sklearn", "PIL",
)  # fmt: skip
_INSTALLED = regex(r"(?:site|dist)-packages/+([A-Za-z0-9_.]+)")
_TOP = r"^(?:[.~x]?/)*"
"""The prefix of a path before its first meaningful folder."""
# what torch.compile made of the user's code
# fmt: off
_OWNERS = (
    (regex(r"^<eval_with_key>"), "torch"),
    (regex(r"(?:^|/)lib(?:64)?/python3?[\d.]*/|^<frozen |/Python3\d+/lib/", re.IGNORECASE), "python"),
    (regex(rf"{_TOP}(?:(?:runpy|threading|contextlib)\.py|asyncio|concurrent|multiprocessing)(?:/|$)"), "python"),
    (regex(rf"{_TOP}({'|'.join(_LIBRARIES)})/"), ""),
    (regex(rf"{_TOP}(?:[^/]+/){{1,3}}?(torch|transformers|diffusers|accelerate)/"), ""),
    (regex(r"^nn/modules/"), "torch"),
)
# fmt: on
"""Paths outside of site-packages, and whose they are: the name, or the folder's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A line of a traceback, and the code that it shows."""

    file: str
    line: int | None = None
    function: str = ""
    code: str = ""
    marked: str = ""
    """The part of the code that Python marks below it as what failed; "" where it marks none, or all."""
    sign: str = ""
    """The operator, or the bracket, that it marks in that part."""

    @property
    def path(self) -> str:
        """The file's path with slashes, on any system."""
        return self.file.replace("\\", "/")

    @property
    def base(self) -> str:
        """The file's name without its folders."""
        return self.path.rpartition("/")[2]

    @property
    def method(self) -> str:
        """The function's name without its class, which Python 3.11 and notebooks include."""
        return self.function.rpartition(".")[2]

    @property
    def outside_torch(self) -> str:
        """The function, unless it is torch's."""
        return "" if self.library == "torch" else self.function

    @property
    def library(self) -> str:
        """The installed package or standard library that the file is part of; "" for the user's own code."""
        path = self.path
        installed = _INSTALLED.findall(path)
        if installed:
            return str(installed[-1]).removesuffix(".py")
        owners = ((form.search(path), name) for form, name in _OWNERS)
        return next((name or found[1] for found, name in owners if found), "")

    @property
    def words(self) -> str:
        """The whole frame in lower case, for the search of clues."""
        return f"{self.path} {self.function} {self.code}".replace("\\", "/").lower()


def frame(line: str) -> Frame | None:
    """Return the frame on a cleaned line, if it is one."""
    if len(line) > 1200 or not any(hint in line for hint in _HINT):
        return None
    for form in _FORMS:
        found = form.search(line)
        if found:
            parts = found.groupdict()
            function = (parts.get("function") or "").strip(" │")
            return Frame(
                file=parts["file"].replace("\\\\", "\\"),
                line=int(parts["line"]) if parts.get("line") else None,
                function=function.removesuffix("\\n"),
            )
    return None


def pointed(line: str) -> tuple[int, str] | None:
    """Return the number and code of the line that a notebook's or rich's arrow points at."""
    found = _POINTED.match(line)
    return (int(found["line"]), found["code"].strip(" │|")) if found else None


def statement(code: str, above: Sequence[str]) -> str:
    """Return a line of code with the numbered ones above it that it goes on with.

    Older notebooks point at a call's last line.

    >>> statement("self.padding, self.groups)", ["    254 ", "    255  return F.conv1d(input, self.weight,"])
    'return F.conv1d(input, self.weight, self.padding, self.groups)'
    """
    for line in reversed(above):
        before = _NUMBERED.match(line)
        if before is None or not _opened(code):
            break
        code = f"{before['code'].strip(' │|')} {code}"
    return code


def _opened(code: str) -> bool:
    """Check whether a line closes brackets that were opened above it."""
    return any(code.count(close) > code.count(start) for start, close in ("()", "[]"))


def marked(told: Frame, marks: str, start: int) -> Frame:
    """Return a frame with the part of its code that is marked below; the frame itself if the marks do not fit.

    scores = scores + self.bias[:, :n]
             ~~~~~~~^~~~~~~~~~~~~~~~~~
    """
    end = start + len(marks)
    part = told.code[start:end] if 0 <= start < end <= len(told.code) else ""
    edges = (told.code[start - 1 : start + 1], told.code[end - 1 : end + 1])
    if not part or any(_WORD.match(edge) for edge in edges):
        return told
    sign = part[marks.index("^") : marks.rindex("^") + 1] if "~" in marks else ""
    return replace(told, marked=part, sign=sign.strip())
