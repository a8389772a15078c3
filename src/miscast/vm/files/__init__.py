"""Files of tensors, as a program saves and loads them: their headers are read, their data is not."""
