"""What every other room stands on: errors, registries, the engine, the definition of the numbers, files written whole.

Nothing here knows a log, a label or a result.
"""
