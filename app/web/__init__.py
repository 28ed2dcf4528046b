"""The thin layer that speaks HTTP. Routes import their lab functions when first called: the server is up before."""
