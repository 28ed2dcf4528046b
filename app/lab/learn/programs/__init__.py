"""Programs that learners write: an interpreter of a small Python, and the exercise that they complete."""
