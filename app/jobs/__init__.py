"""What trainings, fetches, analyses and edits of vocabularies share: spec, process, events, atomic store, viewers."""
