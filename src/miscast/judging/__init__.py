"""From a trace to findings: the operand to blame, one file per rule, merging."""
