"""A real run, watched: programs as Python itself runs them, and what their exceptions hold of the tensors at fault.

`launch` runs the program and tells what it died of; `import_hook` waits for torch, so that a program that sets up its
environment first finds it untouched; `recorder` notes where tensors got their dtype and device; `exception` joins an
exception's frames (`traces`, `producers`, and `provenance/`) with what `explanation` reads in its message.
"""
