# SPDX-License-Identifier: Apache-2.0
# What Python itself would raise in a public call becomes an Error of this package, with a sentence.
"""The boundary of the package: arguments that do not fit a call, attributes that there are not."""
import difflib
import functools
import inspect
import sys

from . import errors

# where an exception comes from that no function of the user's has raised
_OURS = {"cairn", "numpy", "scipy", "pandas", "PIL", "matplotlib", *sys.stdlib_module_names}


def _listed(names):
    names = list(names)
    return " and ".join([", ".join(names[:-1])] * (len(names) > 1) + names[-1:])


def _hint(name, names):
    near = difflib.get_close_matches(name, names, 1)
    return f' (did you mean "{near[0]}"?)' if near else ""


def _misfit(function, label, arguments, keys):
    """What of the arguments does not fit the function."""
    parameters = list(inspect.signature(function).parameters.values())
    if parameters and parameters[0].name == "self":
        parameters, arguments = parameters[1:], arguments[1:]
    kinds = inspect.Parameter
    named = [one.name for one in parameters if one.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY)]
    placed = [one.name for one in parameters if one.kind is kinds.POSITIONAL_OR_KEYWORD]
    unknown = [key for key in keys if key not in named]
    takes = f"it takes {_listed(named)}" if named else "it takes none"
    if unknown and not any(one.kind is kinds.VAR_KEYWORD for one in parameters):
        return f'{label} has no argument "{unknown[0]}"{_hint(unknown[0], named)}; {takes}'
    if len(arguments) > len(placed):
        most = f"at most {len(placed)}, {_listed(placed)}" if placed else "none"
        by_name = _listed([name for name in named if name not in placed])
        more = f"; by name it takes {by_name}" if by_name else ""
        count = f"{len(arguments)} argument{'s' * (len(arguments) > 1)}"
        return f"{label} was given {count} without a name, and takes {most}{more}"
    twice = [name for name in placed[:len(arguments)] if name in keys]
    if twice:
        return f"{label} was given {twice[0]} twice, by its place and by its name"
    absent = [one.name for one in parameters if one.default is one.empty and one.name in named
              and one.name not in keys and one.name not in placed[:len(arguments)]]
    return f"{label} wants {_listed(absent)}" + f"; {takes}" * (absent != named) if absent else None


def _shown(value):
    try:
        return f"{value!r:.60}"
    except Exception:  # of a value that cannot even be shown
        return f"a {type(value).__name__}"


def _sentence(error, function, label, arguments, keys):
    """What is told instead of an exception of Python's own; None where a function of the user's raised it."""
    trace = error.__traceback__.tb_next
    if trace is None:
        said = _misfit(function, label, arguments, keys) if isinstance(error, TypeError) else None
        return said or f"{label}: {error}"
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__", "").partition(".")[0] not in _OURS:
            return None
        trace = trace.tb_next
    if next(iter(inspect.signature(function).parameters), "") == "self":
        arguments = arguments[1:]
    given = [_shown(each) for each in arguments] + [f"{key}={_shown(each)}" for key, each in keys.items()]
    return f"{label} cannot use {_listed(given) or 'what it has'}: {error}"


def _kind(error):
    if isinstance(error, MemoryError):
        return errors.OutOfMemoryError
    if isinstance(error, OSError):
        return errors.FileError
    return errors.KindError if isinstance(error, (TypeError, AttributeError)) else errors.ArgumentError


def checked(function, label):
    """The function, with arguments that do not fit told as errors of the package."""
    @functools.wraps(function)
    def call(*arguments, **keys):
        try:
            return function(*arguments, **keys)
        except (errors.Error, Warning):
            raise
        except Exception as error:
            said = _sentence(error, function, label, arguments, keys)
            if said is None:
                raise
            raise _kind(error)(said) from error
    return call


def function(made):
    """Decorates a function of the package."""
    return checked(made, f"cairn.{made.__name__}")


def _refusal(label, name):
    def refuse(self, value):
        raise errors.MissingAttributeError(f"{label}.{name} is read, and cannot be set")
    refuse.refuses = True
    return refuse


def _getter(label):
    def __getattr__(self, name):
        if hasattr(type(self), name):
            # a property that has raised: its own sentence, and not that of an absent name
            return object.__getattribute__(self, name)
        names = [each for each in dir(type(self)) if not each.startswith("_")]
        raise errors.MissingAttributeError(f'a {label} has no "{name}"{_hint(name, names)}')
    return __getattr__


def _setter(label):
    def __setattr__(self, name, value):
        try:
            object.__setattr__(self, name, value)
        except AttributeError as error:
            if isinstance(error, errors.Error):
                raise
            if hasattr(type(self), name):
                said = f"{label}.{name} is called, and cannot be set"
            else:
                names = [each for each, one in inspect.getmembers(type(self), inspect.isdatadescriptor)
                         if not each.startswith("_") and not hasattr(getattr(one, "fset", None), "refuses")]
                said = f'a {label} has no "{name}" that may be set{_hint(name, names)}'
            raise errors.MissingAttributeError(said) from None
    return __setattr__


def public(kind):
    """Decorates a class: its methods check their arguments, and its attributes say what they are not."""
    label, members = kind.__name__, {}
    for base in reversed(kind.__mro__[:-1]):
        members.update(vars(base))
    for name, member in members.items():
        if isinstance(member, property) and not name.startswith("_"):
            setter = checked(member.fset, f"{label}.{name}") if member.fset else _refusal(label, name)
            setattr(kind, name, member.setter(setter))
        elif inspect.isfunction(member) and (not name.startswith("_") or name == "__init__"):
            setattr(kind, name, checked(member, label if name == "__init__" else f"{label}.{name}"))
    if not any("__getattr__" in vars(base) for base in kind.__mro__):
        kind.__getattr__ = _getter(label)
    if not any("__setattr__" in vars(base) for base in kind.__mro__[:-1]):
        kind.__setattr__ = _setter(label)
    return kind
