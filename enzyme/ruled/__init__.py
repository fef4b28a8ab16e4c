"""From a user's rule to the function that takes its call's place in a derivative.

`choice` finds the rule for a call, `specialise` compiles it for that call, `checks` compares what it returns with
what is due, `rule_adapter` writes the function around it and `resolver` is what the engine asks.
"""
