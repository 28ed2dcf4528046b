"""What agents may ask for over the Model Context Protocol: counts, tokens, comparisons, reasons, texts that fit."""
