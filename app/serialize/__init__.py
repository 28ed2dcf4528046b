"""What the web and the command line both write: columns, problems, comparisons, JSON and CSV."""
