"""An event loop whose time does not depend on how busy the machine is."""

import asyncio
import selectors


class Skipping(selectors.DefaultSelector):
    """Waits for no time to pass: the clock of a loop is moved to where it would end."""

    loop: "Clock"

    def select(self, timeout=None):
        ready = super().select(0 if timeout else timeout)
        if not ready and timeout:
            self.loop.now += timeout
        return ready


class Clock(asyncio.SelectorEventLoop):
    """Its time passes only where all that runs in it sleeps, and then at once. No thread may have work meanwhile."""

    def __init__(self):
        self.now = 0.0
        selector = Skipping()
        selector.loop = self
        super().__init__(selector)

    def time(self):
        return self.now
