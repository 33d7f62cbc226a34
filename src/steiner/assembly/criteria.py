"""Criteria for where a link's centre of gravity lies, listed as cases (paper eqs 7, 9, 11; errata X8, X9).

The criterion of a coordinate is Σ Wₚ Aₚ = 0 over the elements: weights W (masses; volumes where one density is common
to all, eqs 6-12) times arms A, the distances of the elements' centres from the target.  It is equivalent; every other
case is sufficient.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import sympy

from steiner.assembly.tree import Assembly
from steiner.solids.bodies import Scoped
from steiner.solids.exactness import moved
from steiner.solids.expressions import rounded
from steiner.solids.terms import Name, Quotient, Sum, Term, Value
from steiner.solids.working import Line, line
from steiner.text.steps import Derivation, Step, quoted

SUFFICIENT, EQUIVALENT = "sufficient", "equivalent"


@final
@dataclass(frozen=True, eq=False)
class Case:
    """Conditions under which a coordinate of the centre is at its target."""

    coordinate: str
    target: Any
    title: str
    conditions: tuple[Any, ...]  # expressions that vanish
    kind: str  # "equivalent" to the target, or only "sufficient"
    values: Mapping[Any, Any] | None  # symbols that fulfil the conditions, if there are symbols of their own for them

    def __str__(self) -> str:
        arrow = "⇔" if self.kind == EQUIVALENT else "⇒"
        listed = " and ".join(_equation(c) for c in self.conditions)
        return f"{self.title}: {listed} {arrow} {self.coordinate} = {six_digits(self.target)} ({self.kind})"


def _equation(condition: Any) -> str:
    left, right = _sides(condition)
    return f"{six_digits(left)} = {six_digits(right)}"


def _sides(condition: Any) -> tuple[Any, Any]:
    """a − b = 0 as a = b."""
    terms = sympy.Add.make_args(condition)
    if len(terms) != 2:
        return condition, sympy.Integer(0)
    left, right = sorted(terms, key=lambda t: t.could_extract_minus_sign())
    return left, -right


def six_digits(expression: Any) -> str:
    """An expression for people."""
    return sympy.sstr(rounded(expression), full_prec=False)


def cases(assembly: Assembly, targets: Mapping[str, Any]) -> tuple[Case, ...]:
    """All cases of all coordinates, the criterion of each first."""
    bodies, weights, _ = _weighed(assembly)
    names = [child.name for child in assembly.children]
    found: list[Case] = []
    told: set[Any] = set()
    for axis, target in targets.items():
        arms = [sympy.expand(sympy.cancel(sympy.sympify(b.com["xyz".index(axis)])) - target) for b in bodies]
        for title, kind, conditions, values in _cases(names, weights, arms):
            unsigned = frozenset(-c if c.could_extract_minus_sign() else c for c in conditions)
            if any(c.is_zero is False for c in conditions) or (axis, unsigned) in told:
                continue  # a length that is positive never vanishes
            told.add((axis, unsigned))
            found.append(Case(axis, target, title, tuple(conditions), kind, values))
    return tuple(found)


def derive(assembly: Assembly, targets: Mapping[str, Any], listed: Sequence[Case]) -> Derivation:
    """The centre of the elements (eqs 3, 6-12), then each case with what it comes to."""
    bodies, weights, shared = _weighed(assembly)
    names = [child.name for child in assembly.children]
    weight = [Name("W", str(k + 1)) for k in range(len(names))]
    known: dict[str, Any] = {name.key: value for name, value in zip(weight, weights, strict=True)}
    told = ", ".join(f"{k + 1} is {quoted(name)}" for k, name in enumerate(names))
    kind = (
        "masses" if shared == 1 else "masses over what all of them have as a factor: volumes, where that is a density"
    )
    steps: list[Step] = [
        (
            f"**Elements** and their weights ({kind}); {told}.",
            [line(*pair) for pair in zip(weight, weights, strict=True)],
        )
    ]
    for axis in targets:
        places = [Name(axis, str(k + 1)) for k in range(len(names))]
        values = [sympy.expand(sympy.cancel(sympy.sympify(b.com["xyz".index(axis)]))) for b in bodies]
        centre = Name(axis, "S")
        known |= {name.key: value for name, value in zip(places, values, strict=True)}
        moments: Term = Sum(tuple((1, w * x) for w, x in zip(weight, places, strict=True)))
        total = Quotient(moments, Sum(tuple((1, w) for w in weight)))
        known[centre.key] = total.value(known)
        lines = [*(line(*pair) for pair in zip(places, values, strict=True)), line(centre, total, known[centre.key])]
        steps.append((f"**The centre along {axis}**, in the frame of {quoted(assembly.name)}:", lines))
        steps += [_step(case, centre, known) for case in listed if case.coordinate == axis]
    return Derivation(f"{assembly.name}: where the centre of gravity lies", tuple(steps), known=known)


def _step(case: Case, centre: Name, known: dict[str, Any]) -> Step:
    """The conditions of a case and, where they can be put in, the centre that follows."""
    title = f"**Case: {quoted(case.title)}**, {case.kind}"
    if case.values is None:
        return f"{title}: {quoted(' and '.join(map(_equation, case.conditions)))}.", ()
    put = {symbol.name: value for symbol, value in case.values.items()}
    lines: list[Line] = [line(*_sides(condition)) for condition in case.conditions]
    lines.append(Line((centre, Value(case.target))))
    return f"{title}:", [Scoped(each, known | put) for each in lines]


def _weighed(assembly: Assembly) -> tuple[list[Any], list[Any], Any]:
    """The elements in the frame of the whole, their weights, and the factor that all masses share."""
    bodies = [moved(child.signed, child.pose) for child in assembly.children]
    masses = [sympy.sympify(b.mass) for b in bodies]
    shared = _shared(masses)
    return bodies, [sympy.cancel(m / shared) for m in masses], shared


def _shared(masses: Sequence[Any]) -> Any:
    """The symbols that all masses have as a factor: with one density, weights are volumes."""
    factored: list[Any] = [sympy.factor(m) for m in masses]
    factors = [set(sympy.Mul.make_args(m)) for m in factored]
    return sympy.Mul(*(f for f in set.intersection(*factors) if not f.is_number)) if factors else sympy.Integer(1)


Found = tuple[str, str, list[Any], dict[Any, Any] | None]


def _cases(names: Sequence[str], weights: Sequence[Any], arms: Sequence[Any]) -> Iterator[Found]:
    count = range(len(names))
    by_weight, by_arm = _own(weights, arms), _own(arms, weights)
    moments = [w * a for w, a in zip(weights, arms, strict=True)]
    criterion = sympy.expand(sympy.Add(*moments))
    free = next((s for s in (*by_weight, *by_arm) if s is not None and s in criterion.free_symbols), None)
    written = sympy.factor_terms(sympy.Add(*moments, evaluate=False))
    yield "criterion", EQUIVALENT, [written], _solved([(criterion, free)])
    if len(names) == 1:
        return
    yield "every centre there", SUFFICIENT, list(arms), _solved(zip(arms, by_arm, strict=True))
    equal = [(weights[p] - weights[0], by_weight[p]) for p in count[1:]]
    total = sympy.expand(sympy.Add(*arms))
    yield ("equal weights", SUFFICIENT, [*(e for e, _ in equal), total],
           _solved([*equal, (total, next((s for s in reversed(by_arm) if s is not None), None))]))  # fmt: skip
    for q in count:
        for s in count[q + 1 :]:
            others = [p for p in count if p not in (q, s)]
            centred = [(arms[p], by_arm[p]) for p in others]
            told = " and ".join(names[p] for p in others)
            there = f"{told} there, " if told else ""
            if others:
                pair = moments[q] + moments[s]
                yield (f"{there}{names[q]} and {names[s]} balance", SUFFICIENT, [*(e for e, _ in centred), pair],
                       _solved([*centred, (pair, by_weight[q])]))  # fmt: skip
            opposite = [(weights[q] - weights[s], by_weight[q]), (sympy.expand(arms[q] + arms[s]), by_arm[q])]
            yield (f"{there}{names[q]} and {names[s]} opposite and of equal weight", SUFFICIENT,
                   [e for e, _ in (*centred, *opposite)], _solved([*centred, *opposite]))  # fmt: skip


def _own(mine: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    """Of each expression a symbol that no other has, if there is one."""
    found = []
    for k, expression in enumerate(mine):
        rest = [e for j, e in enumerate(mine) if j != k] + list(others)
        elsewhere = set().union(*(e.free_symbols for e in rest))
        found.append(next(iter(sorted(expression.free_symbols - elsewhere, key=str)), None))
    return found


def _solved(pairs: Any) -> dict[Any, Any] | None:
    """Each condition solved for its symbol, those before put in; None if one has none."""
    values: dict[Any, Any] = {}
    for condition, symbol in pairs:
        left = sympy.expand(condition.subs(values))
        if left == 0:
            continue
        found = None if symbol is None else _root(left, symbol)
        if found is None:
            return None
        values = {s: v.subs(symbol, found) for s, v in values.items()} | {symbol: sympy.factor(found)}
    return values


def _root(expression: Any, symbol: Any) -> Any:
    """Where an expression vanishes; most are linear in the symbol."""
    slope = sympy.diff(expression, symbol)
    if slope != 0 and not slope.has(symbol):
        return -expression.subs(symbol, 0) / slope
    return next(iter(sympy.solve(expression, symbol)), None)
