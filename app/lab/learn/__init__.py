"""The course: scenes that each trace one idea through the real engines, beside the code of its teaching file."""
