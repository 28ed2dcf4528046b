"""What other servers' clients send, answered as those servers answer: a module a dialect."""
