"""The only folder that imports torch: the virtual machine that runs a program without hardware, and what it records."""
