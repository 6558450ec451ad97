# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes stacks of all kinds in Python's interpreter, in an endless loop.
import hashlib
import itertools
import json
import re
import zlib


class Shape:
    def __init__(self, side):
        self.side = side

    def area(self, depth):
        return self.side * sum(range(50)) + (self.area(depth - 1) if depth else 0)

    def __lt__(self, other):
        return self.area(1) < other.area(1)


def thrower(depth):
    if not depth:
        raise ValueError(str(depth))
    return thrower(depth - 1)


def numbers(n):
    for i in range(n):
        yield from (i * j for j in range(3))


def words(match):
    return match.group(1).upper() + str(len(match.group(2)))


for n in itertools.count():
    shapes = sorted((Shape(n * i % 17) for i in range(20)), key=lambda s: s)
    try:
        thrower(n % 30)
    except ValueError as error:
        text = re.sub(r"(\w+)=(\d+)", words, "a=1, bc=22, d=333 " + repr(error))
    data = json.dumps({str(i): [i, text, {"n": n}] for i in numbers(10)})
    json.loads(data)
    packed = zlib.compress(data.encode())
    hashlib.sha256(packed).hexdigest()
    "%s %r %.3f" % (text, shapes[0].side, eval("n / 7"))
