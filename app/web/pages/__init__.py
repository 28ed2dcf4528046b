"""HTML routes, one module per capability: parse the parameters, make one lab call, render a template."""
