"""Where labels come from: data sets' own files, suggestions of what to label next, worksheets that people fill in."""
