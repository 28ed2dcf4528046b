"""HTML routes, one module a capability."""
