"""JSON routes, one module a capability."""
