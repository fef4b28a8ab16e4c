"""What PyTensor does to graphs with our operators: adjoints that nobody reads go, and a value joins its gradient."""

from __future__ import annotations

from typing import Any

from pytensor.graph.rewriting.basic import node_rewriter
from pytensor.tensor.rewriting.basic import register_canonicalize, register_specialize

from enzyme.interop.pytensor.ops import Call


@node_rewriter([Call])
def unread_adjoints(fgraph: Any, node: Any) -> Any:
    """The adjoints of those inputs alone that somebody reads."""
    origin, step = _adjoint(node)
    if origin is None:
        return None
    _, wanted, seeded = step
    read = [k for k, y in enumerate(node.outputs) if fgraph.clients.get(y)]
    if not read or len(read) == len(wanted):
        return None
    fewer = origin.step("adjoint", tuple(wanted[k] for k in read), seeded)
    found = fewer.op(*node.inputs, return_list=True)
    return dict(zip([node.outputs[k] for k in read], found, strict=True))


@node_rewriter([Call])
def value_and_gradient(fgraph: Any, node: Any) -> Any:
    """One run for a number and its gradient, where the graph asks for both."""
    origin, step = _adjoint(node)
    if origin is None or len(origin.outputs) != 1 or origin.outputs[0].ndim:
        return None
    *inputs, seed = node.inputs
    value = next(
        (
            client
            for client, _ in fgraph.clients.get(inputs[0], ())
            if client.op == origin.op and client.inputs == inputs
        ),
        None,
    )
    if value is None:
        return None
    both = origin.step("with_gradient", step[1]).op(*inputs, return_list=True)
    adjoints = [(seed * slope).astype(slope.dtype) for slope in both[1:]]
    return dict(zip([value.outputs[0], *node.outputs], [both[0], *adjoints], strict=True))


def _adjoint(node: Any) -> Any:
    """Of which program a node computes adjoints, and the step that leads there."""
    program = node.op.program
    if program.origin is None or program.path[-1][0] != "adjoint":
        return None, None
    return program.origin, program.path[-1]


register_canonicalize(unread_adjoints, "fast_compile", name="enzyme_unread_adjoints")
register_specialize(value_and_gradient, name="enzyme_value_and_gradient")
