"""The nightly run: one configuration, one command, one page in the morning."""
