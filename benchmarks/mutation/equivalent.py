"""Mutants that no test can notice, looked at one by one: file, function, line of the source and change."""

from __future__ import annotations

WHY: dict[tuple[str, str, str, str], str] = {
    ("vm/judging/op_errors.py", "_said",
     "return 2 * (argument(name) in words) + (scalar_type(_name(dtype)) in words)",
     "2 -> 3"): "only the order counts, of 0, 1, 2 and 3 as of 0, 1, 3 and 4",
    ("vm/judging/recovery.py", "Recovery._tell",
     'argument(violation.odd[0]) if violation.odd else "",',
     "'' -> 'XX'"): "it stands for no operand: no argument is called either",
    ("vm/judging/recorder.py", "Recorder.here",
     "return locate(places(sys._getframe(1))[0])",
     "1 -> 2"): "who asks is Miscast's own frame, which is passed over",
    ("vm/judging/shape_exemptions.py", "_by_its_parts",
     "return False",
     "return False -> return None"): "asked for its truth alone",
    ("report/wording.py", "_assigned",
     'return ""',
     "return '' -> return None"): "asked for its truth alone",
    ("rules/__init__.py", "Rule",
     "strict: bool = False",
     "False -> True"): "who makes a Rule always says it",
    ("report/module_tree.py", "ModuleTree.lines",
     'above.append(device or (above[-1] if above else ""))',
     "'' -> 'XX'"): "no device is called so, and where there is none nothing is shown",
    ("report/places.py", "_operands",
     "value = max(map(len, values), default=0)",
     "0 -> 1"): "the width of a column without a row",
    ("report/explained.py", "_operands",
     "widest = max((len(_value(operand)) for operand in one.operands), default=0)",
     "0 -> 1"): "the width of a column without a row",
}
