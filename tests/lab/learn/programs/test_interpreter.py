"""The small Python: it computes what Python computes, ends within its steps, and reaches nothing else."""

import pytest
from tokenarium.lab.learn.programs.interpreter import MAX_STEPS, Program
from tokenarium.lab.learn.programs.values import ProgramFault

SAME = {
    "loops": "def f():\n for i in [1, 2, 9]:\n  if i < 2: continue\n  if i > 5: break\n  x = i\n return x",
    "while": "def f():\n  i = 0\n  while i < 5:\n    i += 2\n  else:\n    i *= 10\n  return i",
    "comprehensions": "def f():\n  return [a + b for a in 'ab' for b in 'cd' if a != 'b'], {a: 1 for a in 'x'}",
    "counter": "from collections import Counter\ndef f():\n  c = Counter('a')\n  c['b'] += 5\n  return c.most_common()",
    "pairs": "def f():\n  return max(pairwise('abcb'), key=lambda pair: pair[1])",
    "slices": "def f():\n  x = [*range(9)]\n  x[2:4] = ['new']\n  return x[::-1], x[-1], 'abc'[1:], (1, 2) < (1, 3)",
    "closures": "def g(n):\n  def h(m):\n    return n * m\n  return h\ndef f():\n  return g(6)(7) if not None else 0",
    "unpacking": "def f():\n  a, (b, c) = 1, (2, 3)\n  return [a, *[b, c]]",
    "strings": "def f():\n  return ' '.join(['a', 'b']).split(), 'x' * 3, 'ab'.startswith('a') and 5 or 6",
}


@pytest.mark.parametrize("source", SAME.values(), ids=[*SAME])
def test_it_computes_what_python_computes(source):
    names: dict = {}
    exec("from itertools import pairwise\n" + source, names)
    assert Program(source).call("f") == names["f"]()


OUTSIDE = {
    "import os": "can import only",
    "from os import path": "can import only",
    "__import__('os')": "no name __import__",
    "open('x')": "no name open",
    "eval('1')": "no name eval",
    "getattr([], 'x')": "no name getattr",
    "().__class__": "no __class__ here",
    "[].append.__self__": "has no __self__ here",
    "(lambda: 0).__globals__": "has no __globals__ here",
    "'{0.__class__}'.format(1)": "no format here",
    "f'{1}'": "JoinedStr is not part",
    "class A: pass": "ClassDef is not part",
    "try: pass\nexcept: pass": "Try is not part",
    "global x": "Global is not part",
    "2 ** 9": "Pow is not part",
    "1 << 9": "LShift is not part",
    "b'a'": "bytes is not part",
    "'%099999999d' % 1": "can only be multiplied",
    "'%s' % ('a',)": "takes numbers here",
    "dict.fromkeys([1])": "no fromkeys here",
    "(x := 1)": "NamedExpr is not part",
    "break": "stands where it cannot",
    "return 1": "stands where it cannot",
    "1()": "This is no function",
    "def f(:": "Python cannot read this",
}


@pytest.mark.parametrize(("source", "message"), OUTSIDE.items(), ids=[*OUTSIDE])
def test_what_it_does_not_name_cannot_be_done(source, message):
    with pytest.raises(ProgramFault, match=message):
        Program(source)


ENDLESS = {
    "loop": "while True: pass",
    "recursion": "def f(): return f()\nf()",
    "nested recursion": "def f(x): return [f([x]) for _ in x]\nf([1])",
    "growing list": "x = [1]\nfor y in x: x.append(y)",
    "doubling list": "x = [1]\nwhile True: x.extend(x)",
    "doubling string": "x = 'a'\nwhile True: x += x",
    "doubling number": "x = 3\nwhile True: x = x * x",
    "long product": "'a' * 100000",
    "long range": "[*range(1000000000)]",
    "join": "x = 'a' * 9999\nx.join([x] * 9999)",
    "nested tuples": "x = (1,)\nfor _ in range(99): x = (x, x)\nx == x",
    "deep lists": "x = []\nfor _ in range(9999): x = [x]",
    "a list in itself": "x = []\nx.append(x)\nx == [x]",
    "many large lists": "x = []\nfor _ in range(9999): x.append([0] * 9999)",
    "brackets": "(" * 3000,
    "long literal": "9" * 3999,
    "length": "#" * 4001,
}


@pytest.mark.parametrize("source", ENDLESS.values(), ids=[*ENDLESS])
def test_it_ends_within_its_steps_and_its_sizes(source):
    with pytest.raises(ProgramFault):
        Program(source)


def test_a_fault_names_its_line_and_the_steps_count_over_all_calls():
    with pytest.raises(ProgramFault, match="IndexError") as fault:
        Program("x = [1]\n\nx[5]")
    assert fault.value.line == 3
    program = Program("def f():\n  for _ in range(1000): pass\n")
    for _ in range(MAX_STEPS // 2008):
        program.call("f")
    with pytest.raises(ProgramFault, match="more than 100,000 steps"):
        program.call("f")
