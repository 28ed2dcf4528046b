"""The Python API for notebooks and programs.

`loading` has tokenizers and their counts, ids and texts; `parts` divides texts and examines ids; what `display` returns
is to be looked at. Jupyter displays it as the pages display it, in a frame that needs no server; elsewhere its `repr`
is coloured text for a terminal. Each is imported when one of its functions is used, by `tokenarium` itself.
"""

from .loading import registry  # for the notebooks of the chapters, also those that were downloaded

__all__ = ["registry"]
