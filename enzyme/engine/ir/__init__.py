"""The engine's own mutable SSA model of LLVM IR."""
