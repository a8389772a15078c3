"""What a program reaches of torch without an op: attributes that are replaced, and questions that are answered."""
