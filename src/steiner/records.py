"""Records: frozen classes that are declared by their fields; to `dataclasses` they are dataclasses.

`dataclass` compiles five functions for every class, used or not, which took half of the time to load a robot.  Here
one text serves all classes, only `__init__` is compiled, when it is first asked for, and what `dataclasses` reads of a
class is made when it is read.
"""

from __future__ import annotations

import reprlib
import sys
from collections.abc import Callable
from functools import cache, cached_property, partial
from types import SimpleNamespace
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")


class _Nothing:
    """Stands for what was not stated."""

    def __repr__(self) -> str:
        return "<nothing>"


NOTHING: Any = _Nothing()


class Field:
    """What is declared of one field; `dataclasses.field` has the same names for it."""

    __slots__ = ("compare", "default", "default_factory", "kw_only", "name", "repr", "type")

    def __init__(self, default: Any, default_factory: Any, kw_only: Any, repr: bool, compare: bool) -> None:
        self.name, self.type = "", ""
        self.default, self.default_factory = default, default_factory
        self.kw_only, self.repr, self.compare = kw_only, repr, compare


def field(
    *, default: Any = NOTHING, default_factory: Any = NOTHING, kw_only: Any = NOTHING, repr: bool = True,
    compare: bool = True,
) -> Any:  # fmt: skip
    """A field with more to say than its default, as `dataclasses.field` declares it."""
    return Field(default, default_factory, kw_only, repr, compare)


@overload
def record(cls: type[T], /) -> type[T]: ...
@overload
def record(*, eq: bool = True, repr: bool = True, kw_only: bool = False) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: Any = None, /, *, eq: bool = True, repr: bool = True, kw_only: bool = False) -> Any:
    """A class whose annotations are its fields, as `dataclass(frozen=True, …)` makes it."""
    return _made(cls, eq, repr, kw_only) if cls is not None else lambda cls: _made(cls, eq, repr, kw_only)


def names_of(instance: Any) -> list[str]:
    """The names of a record's fields."""
    cls = type(instance)
    return list(cls._record if "_record" in vars(cls) else cls.__dataclass_fields__)  # one may stand on a record


def replace(instance: T, /, **changes: Any) -> T:
    """The same record with other values of some fields."""
    given = {name: getattr(instance, name) for name in names_of(instance) if name not in changes}
    return type(instance)(**given, **changes)


def twin(instance: T, /, **changes: Any) -> T:
    """The same record with other values of some fields, none of which needs a check."""
    made = object.__new__(type(instance))
    vars(made).update(vars(instance), **changes)
    return made


def _made(cls: Any, eq: bool, repr: bool, kw_only: bool) -> Any:
    methods = {"__init__": _Init(cls), "__replace__": replace, "__setattr__": _assign, "__delattr__": _delete}
    methods |= {"__repr__": _repr} if repr else {}
    methods |= {"__eq__": _equal, "__hash__": _hash} if eq else {}
    own = vars(cls)
    for name, method in methods.items():
        if own.get(name) is None:
            setattr(cls, name, method)
    cls._record = _Later(cls, "_record", _known(cls, kw_only))
    cls.__dataclass_fields__ = _Later(cls, "__dataclass_fields__", lambda: _as_dataclasses_have_it(cls))
    cls.__dataclass_params__ = _parameters(eq, repr, kw_only)
    cls.__match_args__ = _Later(cls, "__match_args__", lambda: tuple(f.name for f in _all(cls) if not f.kw_only))
    return cls


class _Later:
    """What a class has, made when it is first asked for."""

    def __init__(self, cls: type, name: str, make: Callable[[], Any]) -> None:
        self.cls, self.name, self.make = cls, name, make

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        made = self.make()
        setattr(self.cls, self.name, made)
        return made


@cache
def _parameters(eq: bool, repr: bool, kw_only: bool) -> SimpleNamespace:
    return SimpleNamespace(frozen=True, eq=eq, repr=repr, kw_only=kw_only)


def _known(cls: Any, kw_only: bool) -> Callable[[], dict[str, Field]]:
    """What gives the fields of the bases, then the class's own, by name; a default stays in the class."""
    kinds = {name: kind for name, kind in cls.__annotations__.items() if not kind.startswith("ClassVar")}  # texts here
    stated = {name: vars(cls).get(name, NOTHING) for name in kinds}
    theirs = sys.modules.get("dataclasses")  # only those have fields of it who imported it
    kind = Field if theirs is None else (Field, theirs.Field)
    declared = {name: _ours(one) for name, one in stated.items() if isinstance(one, kind)}
    for name, one in declared.items():
        delattr(cls, name) if one.default is NOTHING else setattr(cls, name, one.default)

    def known() -> dict[str, Field]:
        found: dict[str, Field] = {}
        for base in reversed(cls.__mro__[1:]):
            if "_record" in vars(base):
                found |= base._record
            else:  # a dataclass, if it has any
                found |= {name: _ours(f) for name, f in vars(base).get("__dataclass_fields__", {}).items()}
        for name, default in stated.items():
            one = declared.get(name) or field(default=default)
            one.name, one.type = name, kinds[name]
            one.kw_only = kw_only if one.kw_only is NOTHING else one.kw_only
            found[name] = one
        return found

    return known


def _all(cls: Any) -> list[Field]:
    return list(cls._record.values())


def _ours(one: Any) -> Field:
    """A field, also one of `dataclasses`, as one of ours."""
    if type(one) is Field:
        return one
    missing, stated = sys.modules["dataclasses"].MISSING, (one.default, one.default_factory, one.kw_only)
    made = Field(*(NOTHING if x is missing else x for x in stated), repr=one.repr, compare=one.compare)
    made.name, made.type = one.name, one.type
    return made


def _as_dataclasses_have_it(cls: Any) -> dict[str, Any]:
    """The fields as those of `dataclasses`."""
    from dataclasses import _FIELD, MISSING  # type: ignore[attr-defined]
    from dataclasses import field as theirs

    found = {}
    for f in _all(cls):
        default, factory = (MISSING if x is NOTHING else x for x in (f.default, f.default_factory))
        one: Any = theirs(
            default=default, default_factory=factory, kw_only=f.kw_only, repr=f.repr, compare=f.compare
        )  # type: ignore[call-overload]
        one.name, one.type, one._field_type = f.name, f.type, _FIELD
        found[f.name] = one
    return found


FEW = 64  # instances that take as long to fill field by field as to compile an `__init__` for them


class _Init:
    """The `__init__` of a class, until it is asked for or pays."""

    def __init__(self, cls: type) -> None:
        self.cls, self.calls = cls, 0

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        self.calls += 1
        if isinstance(instance, self.cls) and self.calls <= FEW:  # who asks for a signature may give the class itself
            return partial(self.fill, instance)
        made = _init(self.cls)
        self.cls.__init__ = made  # type: ignore[misc]
        return made if instance is None else made.__get__(instance)

    @cached_property
    def grammar(self) -> tuple[list[str], dict[str, Any], set[str], dict[str, Any], bool]:
        """Positional names, defaults of all fields, names that must be given, who makes one, whether it checks."""
        known = _all(self.cls)
        needed = {f.name for f in known if f.default is f.default_factory is NOTHING}
        makers = {f.name: f.default_factory for f in known if f.default_factory is not NOTHING}
        names, defaults = [f.name for f in known if not f.kw_only], {f.name: f.default for f in known}
        return names, defaults, needed, makers, hasattr(self.cls, "__post_init__")

    def fill(self, instance: Any, /, *args: Any, **kwargs: Any) -> None:
        """What a compiled `__init__` does; that one says what is wrong with arguments."""
        names, defaults, needed, makers, checks = self.grammar
        given = {*names[: len(args)], *kwargs}
        if len(given) != len(args) + len(kwargs) or not needed <= given <= defaults.keys():
            self.cls.__init__(instance, *args, **kwargs)
            return
        own = vars(instance)
        own.update(defaults)
        own.update(zip(names, args, strict=False))
        own.update(kwargs)
        for name, make in makers.items():
            if name not in given:
                own[name] = make()
        if checks:
            instance.__post_init__()


class _Factory:
    """Stands for a default that is made for each instance."""

    def __repr__(self) -> str:
        return "<factory>"


def _init(cls: type) -> Callable[..., None]:
    known = sorted(_all(cls), key=lambda f: f.kw_only)
    scope: dict[str, Any] = {"_keep": object.__setattr__, "_made": _Factory()}
    asked, kept = ["self"], []
    for f in known:
        name, own, parameter, given = f.name, f"_of_{f.name}", f.name, f.name
        if f.default_factory is not NOTHING:
            scope[own], parameter, given = f.default_factory, f"{name}=_made", f"{own}() if {name} is _made else {name}"
        elif f.default is not NOTHING:
            scope[own], parameter = f.default, f"{name}={own}"
        asked += ["*", parameter] if f.kw_only and "*" not in asked else [parameter]
        kept.append(f"_keep(self, {name!r}, {given})")
    kept += ["self.__post_init__()"] * hasattr(cls, "__post_init__")
    exec(f"def __init__({', '.join(asked)}):\n    " + "\n    ".join(kept or ["pass"]), scope)
    made = scope["__init__"]
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    made.__annotations__ = {f.name: f.type for f in known} | {"return": None}
    return made


def _assign(self: Any, name: str, value: Any) -> None:
    """Nothing is assigned; a subclass that is no value may have more than its fields."""
    _refuse(self, "assign to", name)
    object.__setattr__(self, name, value)


def _delete(self: Any, name: str) -> None:
    _refuse(self, "delete", name)
    object.__delattr__(self, name)


def _refuse(self: Any, what: str, name: str) -> None:
    if "_record" in vars(type(self)) or name in type(self)._record:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot {what} field {name!r}")


@reprlib.recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in _all(type(self)) if f.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _key(x: Any) -> tuple[Any, ...]:
    return tuple(getattr(x, f.name) for f in _all(type(x)) if f.compare)


def _equal(self: Any, other: Any) -> bool:
    return _key(self) == _key(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_key(self))

