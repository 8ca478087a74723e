"""Logs or a store to a result: one source, one walk. Every command that judges recalls starts here."""
