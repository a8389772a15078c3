"""The corpus, and whether an explanation says of a case what the corpus says.

Facts of public threads: `log` is the message under the frames that are known; `cause` is known where its source is the
thread, or the fix was confirmed. For those, `causes.json` names the causes of ours that say the same.

`fresh-cases.jsonl` holds five later batches from other repositories, labelled from the thread before the tool saw
them; only what an excerpt of the thread shows is in `log`. Causes are not labelled there.

`field-cases.jsonl` holds fourteen batches across the devices and runtimes of the field, and four of torch and what is
built on it with NVIDIA's GPUs ("t1" to "t4"), the short lines of three mixed ones ("m21" to "m23"), and of nineteen
natural ones ("n1" to "n21", but "n11" and "n17") those that were mended, labelled likewise; "builds" are look-alikes
of older batches that are cases since a build without a device, or a driver that does not fit, is one; "machines" are
such messages that were read to learn that kind; `not_causes` are causes of ours that the thread shows to be false
there, `unread` is what is not recognised: it counts as wrong.

An op is right if one of the names that the corpus gives ("linear (addmm)", "cross_entropy (nll_loss)") is ours, or
holds it ("model load check"), under the aliases below; "?" in the corpus accepts any. Operands are right if every
dtype and device that the corpus names *and* the message states is among ours, and no operand of the same name has
another dtype.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from miscast.explanation.operation import named

CORPUS = Path(__file__).parents[2] / "corpus" / "explain"


def cases(name):
    """The cases of one file of the corpus, in its order."""
    return [json.loads(line) for line in (CORPUS / f"{name}.jsonl").read_text("utf-8").splitlines()]


CASES = cases("dev-cases")
FRESH = cases("fresh-cases")
FRESH_NEGATIVES = cases("fresh-negatives")
FIELD = cases("field-cases")
FIELD_NEGATIVES = cases("field-negatives")
NEGATIVES = cases("dev-negatives")
CAUSES = json.loads((CORPUS / "causes.json").read_text("utf-8"))

_ALIASES = {
    "mm": "matmul", "addmm": "linear", "scaled_dot_product_attention": "sdpa", "index_select": "embedding",
    "nll_loss2d": "nll_loss", "cross_entropy": "nll_loss", "conv": "conv2d", "fill": "masked_fill",
    "all_gather_into_tensor": "all_gather",
    "varlen_fwd": "flash_attn",
    "quant_matmul": "matmul", "ddp broadcast": "distributeddataparallel",
    "setitem": "masked_fill", "baddbmm": "bmm", "_to_copy": "to", "copy": "to", "cuda": "to", "cast": "to",
    "to.device": "to", "index_put": "masked_fill", "ielementwiselayer": "elementwise",
}  # fmt: skip
_SPELLINGS = {
    "float16": ("half", "float16", "fp16"), "bfloat16": ("bfloat16", "bf16"), "float32": ("float", "float32", "fp32"),
    "float64": ("double", "float64"), "int64": ("long", "int64"), "int32": ("int", "int32"), "int8": ("char", "int8"),
    "uint8": ("byte", "uint8"), "int16": ("short", "int16"), "bool": ("bool",),
    "float8_e4m3fn": ("float8_e4m3fn", "e4m3"), "float8_e5m2": ("float8_e5m2",),
}  # fmt: skip


def right_category(case, category):
    """The corpus's, or one that its labeller found as right."""
    return category == case["category"] or category in case.get("also", ())


def right_op(case, op):
    if case["op"].strip().startswith("?"):
        return True
    names = set()
    for part in re.split(r"[()/,]| or | and |\bin\b|\bof\b|\bon\b|\bwith\b|\binside\b", case["op"]):
        names |= {_alias(part), *map(_alias, part.split()), *(_alias(named(word)) for word in part.split())}
    ours = {_alias(op or ""), *map(_alias, re.split(r"[()/,]", op or ""))} - {""}
    return bool(ours & names) or any(f" {our} " in f" {name} " for name in names for our in ours)


def right_operands(case, explanation):
    """None where the message states nothing of them."""
    dtypes, devices = stated(case)
    if not dtypes and not devices:
        return None
    ours = {operand.dtype for operand in explanation.operands}
    places = {operand.device for operand in explanation.operands if operand.device}
    if not dtypes <= ours or not all(any(p.startswith(device) for p in places) for device in devices):
        return False
    named = {operand.name: operand.dtype for operand in explanation.operands if operand.dtype}
    given = (re.match(r"(\w+)=(\w+)", operand) for operand in case["operands"])
    return all(named.get(m[1], m[2]) == m[2] for m in given if m and m[2] in dtypes)


def stated(case):
    """The dtypes and devices that the corpus names and the message states."""
    message = case["log"].lower()
    if '  file "' in message:
        message = message[message.rfind('  file "') :].partition("\n")[2]
    told = " ".join(case["operands"])
    dtypes = {
        dtype
        for dtype, words in _SPELLINGS.items()
        if re.search(rf"(?<![a-z0-9_]){dtype}(?![a-z0-9_])", told)
        and re.search(rf"(?:(?<![a-z])|cuda|cpu|mps)(?:{'|'.join(words)})(?:tensor|type)?(?![a-z])", message)
    }
    named = set(re.findall(r"@(cuda(?::\d)?|cpu|mps|npu|meta)", told))
    return dtypes, {device for device in named if re.search(rf"(?<![a-z]){device}(?!:)", message)}


_FAMILY = re.compile(r"^_*(?:(upsample)_\w+|(fft)_[rc]2[rc])$")
_FORM = re.compile(
    r"^(?:tensor|module|gradscaler|cuda(?=\.)|\.)\.?|^tl\.|^(?:fft|linalg|special|sparse)[._]|^xla::|\(\)|_(?:forward|fwd)(?=$|_)|_?(?:cuda|gpu|cpu)(?=$|_)|(?<=[a-z])gpu$"
)


def _alias(name):
    """One name for what is one op, by `core/ops`: a kernel, a method with its class, an extension's function."""
    name = name.strip().lower().replace("torch.", "").strip(".").rstrip("_")
    family = _FAMILY.match(name)
    if family:
        return "interpolate" if family[1] else "fft"
    name = _FORM.sub("", _FORM.sub("", name)).strip("._") or name
    name = "flash_attn" if name.startswith("flash_attn") else _ALIASES.get(name, name)
    one = named(name).rstrip("_") or name
    return _ALIASES.get(one, one).replace("_", "")  # CompareSelect is compare_select
