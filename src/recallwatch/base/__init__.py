"""The foundation of every other wing: errors, registries, the engine, the definition of the numbers, atomic writes.

Nothing here knows a log, a label or a result.
"""
