"""Requests and answers in the dialects of other servers, one module a dialect."""
