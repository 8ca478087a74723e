"""Why one query gets what it gets: one recall or all of a query, explained from the log."""
