"""Movements made by formula: of an arm, of a gripper that picks and places, of a pen, and noise.

They stand in for recordings of robots, which are not at hand: smooth as a motor must move, and different for each
seed. `corpus` draws the mixture from which the vocabulary is trained.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import cos, pi, sin
from random import Random

Movement = list[list[float]]
"""One row for each moment, with one number for each dimension."""
STEPS = 50
"""Moments of a movement on the page: a second at 50 Hz."""


def ease(share: float) -> float:
    """Return how far a movement is at a share of its time, if it starts and ends at rest (minimum jerk).

    >>> [round(ease(share), 3) for share in (0, 0.25, 0.5, 1)]
    [0, 0.104, 0.5, 1]
    """
    return share**3 * (10 - 15 * share + 6 * share**2)


def arm(random: Random, steps: int, joints: int = 7) -> Movement:
    """Return angles in radians of joints that move from pose to pose, a little shaken."""
    stops = random.randint(2, 4)
    poses = [[random.uniform(-1.5, 1.5) for _ in range(joints)] for _ in range(stops)]
    lags = [random.uniform(0, 0.15) for _ in range(joints)]
    return [
        [
            _between([pose[j] for pose in poses], t / (steps - 1) - lags[j]) + random.gauss(0, 0.002)
            for j in range(joints)
        ]
        for t in range(steps)
    ]


def two_arms(random: Random, steps: int) -> Movement:
    """Return the angles of two arms with seven joints each: 14 dimensions."""
    return [[*left, *right] for left, right in zip(arm(random, steps), arm(random, steps), strict=True)]


def _between(stops: list[float], share: float) -> float:
    """Return the place between stops that are reached one after the other in equal times."""
    legs = len(stops) - 1
    at = min(max(share, 0), 1) * legs
    leg = min(int(at), legs - 1)
    return stops[leg] + (stops[leg + 1] - stops[leg]) * ease(at - leg)


def pick_and_place(random: Random, steps: int) -> Movement:
    """Return x, y and z in metres and the opening of a gripper that fetches something and puts it down elsewhere."""
    (x, y), (u, v) = ((random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4)) for _ in range(2))
    high = random.uniform(0.2, 0.4)
    low = random.uniform(0, 0.05)
    stops = [
        (0.0, 0.0, high, 1.0),
        (x, y, high, 1.0),
        (x, y, low, 1.0),
        (x, y, low, 0.0),
        (x, y, high, 0.0),
        (u, v, high, 0.0),
        (u, v, low, 0.0),
        (u, v, low, 1.0),
    ]
    columns = [[stop[d] for stop in stops] for d in range(4)]
    return [[_between(column, t / (steps - 1)) for column in columns] for t in range(steps)]


def circles(random: Random, steps: int) -> Movement:
    """Return x and y of a pen that draws a curve of two frequencies, such as a circle, an eight or a flower."""
    across = random.randint(1, 3)
    along = random.randint(1, 4)
    turn = random.uniform(0, 2 * pi)
    grow = random.uniform(0, 1)
    return [
        [
            (1 - grow + grow * t / steps) * wave(2 * pi * times * t / (steps - 1) + turn)
            for wave, times in ((cos, across), (sin, along))
        ]
        for t in range(steps)
    ]


def line(random: Random, steps: int) -> Movement:
    """Return x and y of a pen that goes from corner to corner, resting at each."""
    corners = [(random.uniform(-1, 1), random.uniform(-1, 1)) for _ in range(random.randint(2, 5))]
    return [[_between([corner[d] for corner in corners], t / (steps - 1)) for d in range(2)] for t in range(steps)]


def noise(random: Random, steps: int, dimensions: int = 2) -> Movement:
    """Return independent random numbers: what no transform can say in fewer."""
    return [[random.gauss(0, 1) for _ in range(dimensions)] for _ in range(steps)]


@dataclass(frozen=True, slots=True)
class MovementExample:
    """A movement of the page: its name, what it is, the names of its dimensions, and its formula."""

    id: str
    title: str
    says: str
    dimensions: tuple[str, ...]
    formula: Callable[[Random, int], Movement]

    def make(self, seed: int = 1) -> Movement:
        """Return the movement, rounded to what a link can carry."""
        return [[round(x, 4) for x in row] for row in self.formula(Random(f"{self.id} {seed}"), STEPS)]


JOINTS = tuple(f"joint {number}" for number in range(1, 8))
EXAMPLES = (
    MovementExample(
        "pick", "Pick and place", "x, y, z and the opening of a gripper", ("x", "y", "z", "grip"), pick_and_place
    ),
    MovementExample("arm", "Arm", "seven joints from pose to pose", JOINTS, arm),
    MovementExample(
        "arms",
        "Two arms",
        "14 joints: 700 numbers",
        tuple(f"{side} {joint}" for side in ("left", "right") for joint in JOINTS),
        two_arms,
    ),
    MovementExample("pen", "Pen", "x and y of a curve", ("x", "y"), circles),
    MovementExample("noise", "Noise", "nothing smooth in it", ("x", "y"), noise),
)
"""The movements that the page offers."""


def example(id: str) -> MovementExample:
    """Return an example by its id. Raises `KeyError`."""
    return {one.id: one for one in EXAMPLES}[id]


KINDS = (arm, arm, two_arms, pick_and_place, pick_and_place, circles, line, noise)
"""What the vocabulary is trained on: arms and grippers as often again as the rest."""


def corpus(seed: int, size: int) -> Iterator[Movement]:
    """Yield movements of all kinds and of several lengths: the same ones for the same seed."""
    random = Random(seed)
    for _ in range(size):
        yield random.choice(KINDS)(random, random.choice((16, 25, 32, 50, 50, 50, 100)))
