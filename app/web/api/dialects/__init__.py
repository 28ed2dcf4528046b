"""Requests, answers and errors in the dialects of other servers, one module a dialect."""
