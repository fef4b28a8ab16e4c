"""What `autodiff` and its relatives mean, said once.

Two sides call derivatives: Python, which has values (`enzyme.api`), and jitted code, which has types
(`enzyme.compiled`).  What a call may look like, what it gives back, which memory must lie apart, what a gradient is
made of: all that is described here, and each side carries it out with what it has.
"""
