"""Records: frozen classes that are declared by their fields; to `dataclasses` they are dataclasses.

`dataclass` compiles five functions for every class, used or not, which took half of the time to load a robot.  Here
one text serves all classes, and only `__init__` is compiled, when it is first asked for.
"""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import _FIELD, MISSING, Field, FrozenInstanceError, field, replace  # type: ignore[attr-defined]
from types import SimpleNamespace
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")


@overload
def record(cls: type[T], /) -> type[T]: ...
@overload
def record(*, eq: bool = True, repr: bool = True, kw_only: bool = False) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: Any = None, /, *, eq: bool = True, repr: bool = True, kw_only: bool = False) -> Any:
    """A class whose annotations are its fields, as `dataclass(frozen=True, …)` makes it."""
    return _made(cls, eq, repr, kw_only) if cls is not None else lambda cls: _made(cls, eq, repr, kw_only)


def _made(cls: Any, eq: bool, repr: bool, kw_only: bool) -> Any:
    known = _fields(cls, kw_only)
    methods = {"__init__": _Init(cls), "__replace__": replace, **_guards(cls, known)}
    methods |= {"__repr__": _repr(known)} if repr else {}
    methods |= _comparison(known) if eq else {}
    own = {name for name, kept in vars(cls).items() if kept is not None}
    for name in methods.keys() - own:
        setattr(cls, name, methods[name])
    cls.__dataclass_fields__ = known
    cls.__dataclass_params__ = SimpleNamespace(frozen=True, eq=eq, repr=repr, kw_only=kw_only)
    cls.__match_args__ = tuple(f.name for f in known.values() if not f.kw_only)
    return cls


def _fields(cls: type, kw_only: bool) -> dict[str, Field[Any]]:
    """Those of the bases, then the class's own, by name; a default stays in the class."""
    known: dict[str, Field[Any]] = {}
    for base in reversed(cls.__mro__[1:]):
        known |= getattr(base, "__dataclass_fields__", {})
    for name, kind in inspect.get_annotations(cls).items():
        if kind.startswith("ClassVar"):  # annotations are texts in this house
            continue
        stated = vars(cls).get(name, MISSING)
        one = stated if isinstance(stated, Field) else field(default=stated)
        one.name, one.type, one._field_type = name, kind, _FIELD  # type: ignore[attr-defined]
        one.kw_only = kw_only if one.kw_only is MISSING else one.kw_only
        known[name] = one
        if isinstance(stated, Field):
            delattr(cls, name) if one.default is MISSING else setattr(cls, name, one.default)
    return known


class _Init:
    """The `__init__` of a class, until it is asked for."""

    def __init__(self, cls: type) -> None:
        self.cls = cls

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        made = _init(self.cls)
        self.cls.__init__ = made  # type: ignore[misc]
        return made if instance is None else made.__get__(instance)


class _Factory:
    """Stands for a default that is made for each instance."""

    def __repr__(self) -> str:
        return "<factory>"


def _init(cls: type) -> Callable[..., None]:
    known = sorted(cls.__dataclass_fields__.values(), key=lambda f: f.kw_only)  # type: ignore[attr-defined]
    scope: dict[str, Any] = {"_keep": object.__setattr__, "_made": _Factory()}
    asked, kept = ["self"], []
    for f in known:
        name, own, parameter, given = f.name, f"_of_{f.name}", f.name, f.name
        if f.default_factory is not MISSING:
            scope[own], parameter, given = f.default_factory, f"{name}=_made", f"{own}() if {name} is _made else {name}"
        elif f.default is not MISSING:
            scope[own], parameter = f.default, f"{name}={own}"
        asked += ["*", parameter] if f.kw_only and "*" not in asked else [parameter]
        kept.append(f"_keep(self, {name!r}, {given})")
    kept += ["self.__post_init__()"] * hasattr(cls, "__post_init__")
    exec(f"def __init__({', '.join(asked)}):\n    " + "\n    ".join(kept or ["pass"]), scope)
    made = scope["__init__"]
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    made.__annotations__ = {f.name: f.type for f in known} | {"return": None}
    return made


def _guards(cls: type, known: Mapping[str, Any]) -> dict[str, Any]:
    """Nothing is assigned and nothing deleted; a subclass that is no value may have more than its fields."""

    def __setattr__(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in known:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is cls or name in known:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return {"__setattr__": __setattr__, "__delattr__": __delattr__}


def _repr(known: Mapping[str, Field[Any]]) -> Callable[[Any], str]:
    names = [f.name for f in known.values() if f.repr]

    @reprlib.recursive_repr()
    def __repr__(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return __repr__


def _comparison(known: Mapping[str, Field[Any]]) -> dict[str, Any]:
    names = [f.name for f in known.values() if f.compare]

    def key(x: Any) -> tuple[Any, ...]:
        return tuple(getattr(x, name) for name in names)

    def __eq__(self: Any, other: Any) -> bool:
        return key(self) == key(other) if type(other) is type(self) else NotImplemented

    return {"__eq__": __eq__, "__hash__": lambda self: hash(key(self))}
