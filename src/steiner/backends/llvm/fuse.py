"""Products that are only ever added or subtracted are computed where they are added.

A fused multiply-add costs what an addition costs, so a product with k sums needs k instructions instead of
k + 1, also when it is shared: computing it afresh in each sum is free.

In long tapes that repeat themselves signs are drawn into numbers, so that joints of one kind are rows of one kind.  A
trace draws signs out of products: whether a sum adds or subtracts then depends on the signs of the numbers that went
into it, and two links of one shape read differently.  Here a row's value may change its sign, which is exact: the first
operand of a sum, or the summand that no number can turn, counts as positive, and numbers take the signs that are left.
"""

from __future__ import annotations

from typing import Any

from steiner.trace import Op, Output, Tape, is_negated, moved, operand_rows, row_of, signed

FMA = max(Op) + 1  # an operation of this backend's own tapes
SUMS, PRODUCTS = (Op.ADD, Op.SUB), (Op.MUL, Op.DIV)
LONG = 4000  # rows whose code exceeds the first cache of instructions: what repeats is written once (alike.py)


def fused(tape: Tape) -> Tape:
    """The tape with FMA rows (signed references a, b, c: a·b + c) for sums, without the products inside them."""
    inside = _absorbed(tape)
    place: dict[int, int] = {}
    rows: list[tuple[Any, ...]] = []
    for k, row in enumerate(tape.rows):
        if k not in inside:
            place[k] = len(rows)
            rows.append(_rewritten(tape, row, inside, place))
    outputs = tuple(
        Output(o.shape, tuple(moved(x, place) if isinstance(x, int) else x for x in o.elements)) for o in tape.outputs
    )
    result = Tape(tape.inputs, tuple(rows), outputs)
    if result.length > LONG:
        from steiner.backends.llvm.periods import repeats

        return settled(result) if repeats(result) else result
    return result


def _absorbed(tape: Tape) -> set[int]:
    """Products that all their sums can take; a sum takes one, products with few sums go first."""
    sums: dict[int, list[int]] = {k: [] for k, row in enumerate(tape.rows) if row[0] == Op.MUL}
    kept = {row_of(x) for output in tape.outputs for x in output.elements if isinstance(x, int)}
    for k, row in enumerate(tape.rows):
        for x in sums.keys() & operand_rows(row):
            sums[x].append(k)
            if row[0] not in SUMS or row[1] == row[2]:
                kept.add(x)
    taken: set[int] = set()
    result: set[int] = set()
    for x in sorted(sums.keys() - kept, key=lambda x: (len(sums[x]), x)):
        if taken.isdisjoint(sums[x]):
            taken.update(sums[x])
            result.add(x)
    return result


def _rewritten(tape: Tape, row: tuple[Any, ...], inside: set[int], place: dict[int, int]) -> tuple[Any, ...]:
    op, *operands = row
    if op <= Op.INPUT:
        return row
    if op > Op.DIV:
        return (op, *(moved(x, place) for x in operands))
    product = next((x for x in operands if x in inside), None)
    if product is None:
        return (op, *(place[x] for x in operands))
    left, right = operands
    first = product == left
    a, b = tape.rows[product][1:]
    c, minus = right if first else left, op == Op.SUB
    return (FMA, signed(place[a], minus and not first), signed(place[b]), signed(place[c], minus and first))


def settled(tape: Tape) -> Tape:
    """The fused tape with the signs of its rows settled; itself where a sum would have none that is positive."""
    signs = Signs(tape)
    signs.forward()
    signs.backward()
    return signs.tape()


class Signs:
    """The operands of every row, and which of them are negated."""

    def __init__(self, tape: Tape) -> None:
        self.given, self.rows = tape, tape.rows
        self.operands: dict[int, list[int]] = {}
        self.negated: dict[int, list[bool]] = {}
        self.uses: dict[int, list[tuple[int, int]]] = {}
        self.turned: set[int] = set()  # rows whose value has changed its sign
        for k, (op, *operands) in enumerate(tape.rows):
            if op > Op.INPUT:
                plain = op in SUMS or op in PRODUCTS
                self.operands[k] = operands if plain else [row_of(x) for x in operands]
                self.negated[k] = [False, op == Op.SUB] if plain else [is_negated(x) for x in operands]
                for i, x in enumerate(self.operands[k]):
                    self.uses.setdefault(x, []).append((k, i))
        self.fixed = self._fixed()
        self.free = self._free()

    def _number(self, k: int) -> int | None:
        """Which factor of a product or multiply-add is a number."""
        if self.rows[k][0] not in (Op.MUL, FMA):
            return None
        return next((i for i in (0, 1) if self.rows[self.operands[k][i]][0] == Op.CONSTANT), None)

    def _fixed(self) -> set[int]:
        """Rows that keep their sign: inputs, numbers, and what functions or selections take."""
        fixed = {k for k, row in enumerate(self.rows) if row[0] <= Op.INPUT}
        for k in reversed(self.operands):
            op = self.rows[k][0]
            if (op in SUMS or op in PRODUCTS) if k in fixed else op > Op.DIV and op != FMA:
                fixed.update(self.operands[k])
        return fixed | {k for k in self.operands if self.rows[k][0] > Op.DIV and self.rows[k][0] != FMA}

    def _free(self) -> set[int]:
        """Rows linear in numbers alone, which only sums use, and which may have either sign."""
        free = {k for k, row in enumerate(self.rows) if row[0] == Op.CONSTANT}
        bound = {row_of(x) for output in self.given.outputs for x in output.elements if isinstance(x, int)}
        bound |= {x for x, uses in self.uses.items() if not all(self.rows[k][0] in (*SUMS, FMA) for k, _ in uses)}
        for k, operands in self.operands.items():
            op = self.rows[k][0]
            terms = operands if op in SUMS else operands[2:] if self._number(k) is not None else [-1]
            if free.issuperset(terms) and k not in bound:
                free.add(k)
        return free

    def turn(self, k: int) -> None:
        """The value of a row changes its sign for all that use it."""
        for user, i in self.uses.get(k, ()):
            self.negated[user][i] ^= True
        self.turned ^= {k}

    def forward(self) -> None:
        """Rows that no number can turn take their sign from their first operand, or from the one that is not free."""
        for k, operands in self.operands.items():
            op, signs, number = self.rows[k][0], self.negated[k], self._number(k)
            if op in PRODUCTS and number is None:
                if signs[0] != signs[1]:
                    self.turn(k)
                signs[:] = [False, False]
            elif k in self.free or k in self.fixed:
                continue
            elif op in SUMS:
                loose = [x in self.free for x in operands]
                if signs[loose == [True, False]]:
                    signs[:] = [not s for s in signs]
                    self.turn(k)
            elif op == FMA and number is not None:
                if signs[2]:
                    signs[2], signs[number] = False, not signs[number]
                    self.turn(k)
            elif op == FMA and signs[0] != signs[1]:
                signs[:] = [False, False, not signs[2]]
                self.turn(k)

    def backward(self) -> None:
        """Free rows have the sign with which they are first used."""
        for k in reversed([k for k in self.operands if k in self.free and k in self.uses]):
            user, i = self.uses[k][0]
            signs = self.negated[user]
            if signs[0] != signs[1] if self.rows[user][0] == FMA and i < 2 else signs[i]:
                number = self._number(k)
                for i in range(len(self.operands[k])):
                    if number is None or i in (number, 2):
                        self.negated[k][i] ^= True
                self.turn(k)

    def tape(self) -> Tape:
        """The rows with their signs; a number that a product needs negated comes before it."""
        rows, place, more = list[tuple[Any, ...]](), list[int](), dict[float, int]()

        def negative(number: int) -> int:
            value = -rows[number][1]
            if value not in more:
                more[value] = len(rows)
                rows.append((Op.CONSTANT, value))
            return more[value]

        for k, row in enumerate(self.rows):
            op, signs = row[0], self.negated.get(k, [])
            operands = [place[x] for x in self.operands.get(k, ())]
            number = self._number(k) if signs else None
            if op <= Op.INPUT:
                pass
            elif op in SUMS:
                for i in (0, 1):
                    if signs[i] and rows[operands[i]][0] == Op.CONSTANT:
                        signs[i], operands[i] = False, negative(operands[i])
                if all(signs):
                    return self.given
                row = (Op.SUB if any(signs) else Op.ADD, *(reversed(operands) if signs[0] else operands))
            elif op in PRODUCTS:
                if number is not None and signs[0] != signs[1]:
                    operands[number] = negative(operands[number])
                row = (op, *operands)
            else:
                if op == FMA:
                    signs = [(signs[0] != signs[1]) and i == (number or 0) for i in (0, 1)] + signs[2:]
                row = (op, *map(signed, operands, signs))
            place.append(len(rows))
            rows.append(row)
        outputs = (Output(o.shape, tuple(self._element(x, place) for x in o.elements)) for o in self.given.outputs)
        return Tape(self.given.inputs, tuple(rows), tuple(outputs))

    def _element(self, x: int | float, place: list[int]) -> int | float:
        if isinstance(x, float):
            return x
        return signed(place[row_of(x)], is_negated(x) ^ (row_of(x) in self.turned))
