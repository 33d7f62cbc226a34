"""Records are dataclasses in all that can be seen of them."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest

from steiner.records import FEW, names_of, record, replace


def twins(**options):
    """The same declarations by `record` and by `dataclass`: a base, and a class over it."""

    def made(decorate):
        @decorate
        class Base:
            """A base."""

            SIDES: ClassVar[int] = 4
            a: Any
            b: Any = 2
            c: list[Any] = field(default_factory=list)

        @decorate
        class Thing(Base):
            """A thing."""

            b: Any = 3
            d: Any = field(default=None, repr=False, kw_only=True)
            _hidden: ClassVar[str] = "x"
            e: Any = field(default=(), compare=False)

            def __post_init__(self) -> None:
                object.__setattr__(self, "b", self.b + 1)

        return Thing

    return made(record(**options)), made(dataclass(frozen=True, **options))


OPTIONS = [{}, {"eq": False}, {"repr": False}, {"eq": False, "repr": False}, {"eq": False, "kw_only": True}]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_record_is_what_a_dataclass_is(options):
    ours, theirs = twins(**options)
    assert dataclasses.is_dataclass(ours)
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert ours.__init__.__annotations__ == theirs.__init__.__annotations__
    assert ours.__match_args__ == theirs.__match_args__
    assert [str(f) for f in dataclasses.fields(ours)] == [str(f) for f in dataclasses.fields(theirs)]
    assert ours.__hash__ is not None
    assert {n for n in vars(ours) if n.startswith("__")} - {"__replace__"} == {
        n for n in vars(theirs) if n.startswith("__")
    } - {"__replace__"}
    first, second = ours(a=1, d=5), theirs(a=1, d=5)
    assert vars(first) == vars(second)
    assert first.c is not ours(a=1).c
    if options.get("repr", True):
        assert repr(first) == repr(second)
    assert (first == ours(a=1, d=5, e=7)) is (second == theirs(a=1, d=5, e=7)) is options.get("eq", True)
    assert first != second
    for x in (first, second):
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'a'"):
            x.a = 2
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'new'"):
            del x.new
    changed = dataclasses.replace(first, a=9)
    assert vars(changed) == vars(dataclasses.replace(second, a=9))
    assert vars(copy.deepcopy(first)) == vars(first)
    assert dataclasses.asdict(first) == dataclasses.asdict(second)
    for wrong in ((), (1, 2, 3, 4, 5, 6)):
        with pytest.raises(TypeError) as ours_says:
            ours(*wrong)
        with pytest.raises(TypeError) as theirs_says:
            theirs(*wrong)
        assert str(ours_says.value) == str(theirs_says.value)


def test_a_dataclass_may_stand_on_a_record():
    """As users write joints and shapes of their own."""
    ours, theirs = twins(eq=False)

    def above(base):
        @dataclass(frozen=True, eq=False)
        class Above(base):
            f: Any = 6

        return Above

    assert vars(above(ours)(1, f=2)) == vars(above(theirs)(1, f=2))
    with pytest.raises(TypeError, match="frozen"):
        dataclass(type("Loose", (ours,), {"__annotations__": {"g": "Any"}}))


def test_a_plain_subclass_may_have_more_than_fields():
    class Free(twins()[0]):
        pass

    free = Free(1)
    free.more = 2
    assert (free.more, free.a) == (2, 1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        free.a = 3


@record
class Kept:
    """A record with a hash and an equality by its fields, and its own text."""

    x: Any
    y: Any = 0

    def __repr__(self) -> str:
        return f"<{self.x}>"


def test_records_are_kept_and_compared_by_their_fields():
    assert pickle.loads(pickle.dumps(Kept(1, 2))) == Kept(1, 2) != Kept(1)
    assert len({Kept(1), Kept(1), Kept(2)}) == 2
    assert repr(Kept(3)) == "<3>"
    match Kept(4, 5):
        case Kept(x, y):
            assert (x, y) == (4, 5)


def is_compiled(cls: type) -> bool:
    return hasattr(vars(cls)["__init__"], "__code__")


def test_an_init_is_compiled_when_it_pays_and_does_the_same():
    """The first instances are filled field by field."""
    ours, theirs = twins()
    for k in range(2 * FEW):
        if k == FEW // 2:
            with pytest.raises(TypeError, match="missing 1 required positional argument: 'a'"):
                ours(b=1)
        assert is_compiled(ours) == (k >= FEW // 2), "an error compiles it too"
        assert vars(ours(k, d=k)) == vars(theirs(k, d=k))
    fresh, _ = twins()
    for k in range(FEW):
        assert vars(fresh(k, 2, [3], d=4)) == vars(theirs(k, 2, [3], d=4))
        assert not is_compiled(fresh)
    assert vars(fresh(1)) == vars(theirs(1)) and is_compiled(fresh)


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [((), {}), ((1, 2, 3, 4, 5), {}), ((1,), {"a": 1}), ((1,), {"nobody": 1}), ((), {"b": 1}), ((1, 2, 3), {"c": 3})],
)
def test_wrong_arguments_are_told_in_the_words_of_python(args, kwargs):
    said = []
    for cls in twins():
        with pytest.raises(TypeError) as error:
            cls(*args, **kwargs)
        said.append(str(error.value))
    assert said[0] == said[1]


def test_names_and_changes_of_records_and_of_dataclasses_over_them():
    ours, _ = twins(eq=False)

    @dataclass(frozen=True, eq=False)
    class Above(ours):
        f: Any = 6

    assert names_of(ours(1)) == ["a", "b", "c", "d", "e"] and names_of(Above(1)) == ["a", "b", "c", "d", "e", "f"]
    assert replace(Above(1, f=2), a=3).f == 2 and replace(ours(1), d=7).d == 7
    with pytest.raises(TypeError, match="nobody"):
        replace(ours(1), nobody=1)
