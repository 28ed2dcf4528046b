"""Stands in for the build backend of a package of which pip must only know name and version."""
