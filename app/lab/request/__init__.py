"""A request to a model in tokens: its parts, the formulas, its bill, its log, its cache, its diet."""
