"""The precision of each component that fits a machine: candidates tried, virtually and for real.

point ── a candidate, with its peak, its forecast, its error
trying ── runs candidates, in warm processes      search ── from float32 down, one component at a time
moves, saving ── what may be changed of a program
front ── which points no other beats              section ── the table, the policy, the same for each trainer
picture ── all points, drawn                      spelled, language, saved ── a plan as settings of trainers
"""
