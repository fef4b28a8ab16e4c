"""Reads textual LLVM IR: each class adds the grammar of one layer to the one before."""
