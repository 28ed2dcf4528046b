"""The course: scenes that each play one idea with the real engines, beside the code of its teaching file."""
