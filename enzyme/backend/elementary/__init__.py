"""Elementary functions of vectors, written as IR."""
