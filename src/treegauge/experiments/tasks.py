"""Tasks by name: built in, or any function of a cell that can be imported."""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from treegauge.experiments.cells import Cell, Outcome
from treegauge.results.errors import ChoiceError, TreegaugeError
from treegauge.results.plugins import load_plugins

Function = Callable[[Cell], Outcome]


@dataclass(frozen=True)
class Task:
    """What a task does and what it takes.

    Attributes
    ----------
    name, meaning
        What it is called, and what it does.
    home
        ``module:function``.
    parts
        The splits that a treebank must have.
    parser, sized
        Whether it needs a parser, and whether it needs sizes of training sets; None: optional.
    parameters
        Its parameters with their defaults; None: any.
    required
        Parameters that have no default.
    treebanks
        Parameters that name further treebanks, one each. Plans look for them where the treebank
        itself is; ``cell.read("train", treebank=name)`` reads them.
    """

    name: str
    meaning: str
    home: str
    parts: tuple[str, ...] = ()
    parser: bool | None = None
    sized: bool | None = None
    parameters: Mapping[str, Any] | None = None
    required: tuple[str, ...] = ()
    treebanks: tuple[str, ...] = ()

    def function(self) -> Function:
        """Import the function."""
        module, _, name = self.home.partition(":")
        here = os.getcwd()  # noqa: PTH109 -- sys.path holds texts
        if here not in sys.path:  # an installed command does not look beside the plan
            sys.path.append(here)
        try:
            function = getattr(import_module(module), name)
        except (ImportError, AttributeError) as error:
            raise TreegaugeError(
                f"task {self.home}: {error}; expected module:function that can be imported from "
                f"{here} or from where packages are installed"
            ) from error
        except (Exception, SystemExit) as error:
            raise TreegaugeError(
                f"task {self.home}: loading {module} ends with {type(error).__name__}: {error}"
            ) from error
        if not callable(function):
            raise TreegaugeError(f"task {self.home} is no function but {function!r}")
        return function  # type: ignore[no-any-return]

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all parameters, defaults included; unknown and missing ones are errors."""
        if self.parameters is None:
            return dict(given)
        known = [*self.required, *self.parameters]
        for name in given:
            if name not in known:
                raise ChoiceError(f"parameter of task {self.name}", name, known)
        for name in self.required:
            if name not in given:
                raise TreegaugeError(
                    f"task {self.name} needs parameter {name}; its parameters: {', '.join(known)}"
                )
        for name, usual in self.parameters.items():
            value = given.get(name, usual)
            fits = isinstance(value, bool) == isinstance(usual, bool)
            if usual is not None and not (fits and isinstance(value, type(usual))):
                raise TreegaugeError(
                    f"parameter {name} of task {self.name} is {value!r}; expected a value such as "
                    f"{usual!r}"
                )
        return dict(self.parameters) | dict(given)


_BUILT_IN = "treegauge.experiments.builtin"
_POLICY = {"errors": "strict"}
_TASKS = (
    Task(
        "score", "train on the train part, parse the test part, CoNLL 2018 metrics",
        f"{_BUILT_IN}:score", ("train", "test"), parser=True, sized=False, parameters=_POLICY,
    ),
    Task(
        "curve", "train on a sample of the first sentences, parse the test part",
        f"{_BUILT_IN}:curve", ("train", "test"), parser=True, sized=True,
        parameters={"train_limit": 500, "dev_limit": 10, "nested": False, **_POLICY},
    ),
    Task(
        "split", "split all sentences anew, train, parse the new test part",
        f"{_BUILT_IN}:split", (), parser=True, sized=False,
        parameters={
            "objective": "random", "method": "optimise", "sizes": "60/20/20",
            "unit": "sentences", "min_words": 0, **_POLICY,
        },
    ),
    Task(
        "measure", "measures of a treebank",
        f"{_BUILT_IN}:measure", (), parser=False, sized=False,
        parameters={"part": "train", **_POLICY}, required=("measures",),
    ),
)  # fmt: skip
BUILT_IN = {task.name: task for task in _TASKS}
#: Tasks of rooms above this one, each a :class:`Task` at ``module:name``.
HOMES = {
    "map": "treegauge.dynamics.tasks:MAP",
    "vinfo": "treegauge.dynamics.tasks:VINFO",
    "mdl": "treegauge.dynamics.tasks:MDL",
    "difficulty": "treegauge.dynamics.tasks:DIFFICULTY",
    "transfer": "treegauge.crosslingual.tasks:TRANSFER",
}


def find_task(name: str) -> Task:
    """Return a task: built in, of a plug-in (entry points ``treegauge.tasks``), or the user's own.

    A plug-in is a :class:`Task` or a function of a cell; ``module:function`` names any function.

    Examples
    --------
    >>> find_task("curve").sized
    True
    >>> find_task("curves")
    Traceback (most recent call last):
    treegauge.results.errors.ChoiceError: unknown task 'curves'; did you mean 'curve'? ...
    """
    if name in BUILT_IN:
        return BUILT_IN[name]
    if name in HOMES:
        home, _, attribute = HOMES[name].partition(":")
        task: Task = getattr(import_module(home), attribute)
        return task
    plugins = load_plugins("treegauge.tasks")
    if name in plugins:
        loaded = plugins[name]
        if isinstance(loaded, Task):
            return loaded
        return Task(name, "", f"{loaded.__module__}:{loaded.__qualname__}")
    module, colon, function = name.partition(":")
    if not (module and colon and function):
        raise ChoiceError("task", name, [*BUILT_IN, *HOMES, *plugins, "module:function"])
    return Task(name, "", name)
