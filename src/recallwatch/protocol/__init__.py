"""Protocols: benchmark runs by an agreed text, with a status that says whether their numbers may be quoted."""
