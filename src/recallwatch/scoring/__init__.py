"""Events and labels to values: the plan, the relations of sql/, the read-out, the result.

A one-shot evaluation, a store and a Spark task all call it; it knows none of them.
"""
