"""One file a command: its flags, and the one call it makes."""
