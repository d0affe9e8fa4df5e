"""Write src/treegauge/__init__.pyi, which editors and type checkers read, and the schema of results.

Run as ``python -m tools.face`` after a change of a verb's parameters, of the public names or of what
results have in JSON. A verb
takes the fields of its settings as keywords; the stub spells them out, with types, defaults and
docstrings. Types are those in the source, so that aliases keep their names.
"""

import ast
import builtins
import inspect
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import treegauge
from tools import schema
from treegauge.core.verbs import Settings, Verb

STUB = Path(treegauge.__file__).with_suffix(".pyi")
HEAD = '''"""{about}

Written by tools/face.py from the verbs; run `python -m tools.face` after a change.
"""
'''


@cache
def module_names(path: str, module: str) -> tuple[ast.Module, dict[str, str]]:
    """Return the syntax tree of a module, and the import line of each name that it has."""
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    homes: dict[str, str] = {}
    blocks: list[ast.AST] = [tree]
    while blocks:
        for node in ast.iter_child_nodes(blocks.pop()):
            if isinstance(node, ast.If | ast.Try):
                blocks.append(node)
            elif isinstance(node, ast.ImportFrom):
                homes |= {alias.asname or alias.name: f"{node.module}:{alias.name}" for alias in node.names}
            elif isinstance(node, ast.Import):
                homes |= {alias.asname or alias.name: alias.name for alias in node.names}
            elif isinstance(node, ast.ClassDef):
                homes[node.name] = f"{module}:{node.name}"
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                homes |= {target.id: f"{module}:{target.id}" for target in targets if isinstance(target, ast.Name)}
    return tree, homes


class Stub:
    """The text of the stub, with the imports that its annotations need."""

    def __init__(self) -> None:
        self.imports: dict[str, str] = {}
        self.taken = {*dir(treegauge)}
        self.exported = {name: f"treegauge.{home}:{name}" for name, home in vars(treegauge)["_HOME"].items()}
        for name in dir(treegauge):
            self.taken |= getattr(getattr(treegauge, name), "subverbs", {}).keys()

    def annotation(self, node: ast.expr | None, owner: Any) -> str:
        """Return an annotation as it is in the source, and note the imports it needs."""
        if node is None:
            return "Any"
        _, homes = module_names(inspect.getsourcefile(owner) or "", owner.__module__)
        return ast.unparse(_Names(self, homes).visit(ast.parse(ast.unparse(node), mode="eval")))

    def name(self, name: str, homes: dict[str, str]) -> str:
        """Return a name of a module as the stub has it."""
        home = homes.get(name)
        if home is None:
            if not hasattr(builtins, name):
                raise SystemExit(f"{name}: not found in its module")
            if name not in self.taken:
                return name
            home = f"builtins:{name}"
        if home == self.exported.get(name):
            return name
        while name in self.taken or self.imports.get(name, home) != home:
            name = f"_{name}"
        self.imports[name] = home
        return name

    def import_lines(self) -> Iterator[str]:
        """Yield the imports."""
        modules: dict[str, list[str]] = {}
        for name, home in sorted(self.imports.items()):
            module, _, origin = home.partition(":")
            renamed = f" as {name}" if name != (origin or module) else ""
            modules.setdefault(module, []).append(f"{origin}{renamed}")
        for module, names in sorted(modules.items()):
            whole = not names[0] or names[0].startswith(" ")
            yield f"import {module}{names[0]}" if whole else f"from {module} import {', '.join(names)}"

    def definition(self, name: str, verb: Verb[Any], *, method: bool) -> str:
        """Return the definition of a verb, as a function or as a method of its owner."""
        function = inspect.unwrap(verb)
        tree, _ = module_names(inspect.getsourcefile(function) or "", function.__module__)
        node = next(
            one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and one.name == function.__code__.co_name
        )
        own = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        own += [part for part in (node.args.vararg, node.args.kwarg) if part]
        types = {part.arg: (part.annotation, function) for part in own}
        for group in verb.settings.values():
            types |= _field_types(type(group))
        lines, starred = ["self"] if method else [], False
        marks: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
        for parameter in inspect.signature(verb).parameters.values():
            if parameter.kind is parameter.KEYWORD_ONLY and not starred:
                lines.append("*")
                starred = True
            starred = starred or parameter.kind is parameter.VAR_POSITIONAL
            annotation = self.annotation(*types[parameter.name]) if parameter.name in types else "bool"
            line = f"{marks.get(parameter.kind, '')}{parameter.name}: {annotation}"
            if parameter.default is not parameter.empty:
                line += f" = {_default(parameter.default)}"
            lines.append(line)
        body = textwrap.indent(",\n".join(lines) + ",", "    ")
        returned = self.annotation(node.returns, function)
        text = f"def {name}(\n{body}\n) -> {returned}:\n{textwrap.indent(docstring(verb.__doc__), '    ')}\n"
        return textwrap.indent(text, "    ") if method else text

    def verb(self, name: str, verb: Verb[Any]) -> str:
        """Return the definition of a verb; one with subverbs is an object of a class of its own."""
        if not verb.subverbs:
            return self.definition(name, verb, method=False)
        kind = f"_{name.title()}"
        parts = [self.definition("__call__", verb, method=True)]
        parts += [self.definition(sub, one, method=True) for sub, one in verb.subverbs.items()]
        about = textwrap.indent(docstring(verb.__doc__), "    ")
        return f"class {kind}:\n{about}\n\n" + "\n".join(parts) + f"\n{name}: {kind}\n"


class _Names(ast.NodeTransformer):
    """Replaces names by those of the stub, and texts that are annotations by what they say."""

    def __init__(self, stub: Stub, homes: dict[str, str]) -> None:
        self.stub, self.homes = stub, homes

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Rename."""
        return ast.Name(self.stub.name(node.id, self.homes))

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Leave the values of Literal as they are."""
        if ast.unparse(node.value).endswith("Literal"):
            return ast.Subscript(self.visit(node.value), node.slice)
        return ast.Subscript(self.visit(node.value), self.visit(node.slice))

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """Read an annotation in quotes."""
        if isinstance(node.value, str):
            read: ast.expr = self.visit(ast.parse(node.value, mode="eval")).body
            return read
        return node


def _field_types(kind: type[Settings]) -> dict[str, tuple[ast.expr | None, Any]]:
    types: dict[str, tuple[ast.expr | None, Any]] = {}
    for base in reversed(kind.__mro__):
        if base in {object, Settings}:
            continue
        tree, _ = module_names(inspect.getsourcefile(base) or "", base.__module__)
        node = next(one for one in ast.walk(tree) if isinstance(one, ast.ClassDef) and one.name == base.__name__)
        for line in node.body:
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                types[line.target.id] = line.annotation, base
    return types


def _default(value: Any) -> str:
    plain = isinstance(value, str | int | float | tuple | None)
    return repr(value) if plain and len(repr(value)) < 60 else "..."


def docstring(text: str | None) -> str:
    """Return a text in triple quotes."""
    text = inspect.cleandoc(text or "").replace('"""', "'''")
    end = "\n" if "\n" in text else ""
    return f'{"r" if chr(92) in text else ""}"""{text}{end}"""'


def stub_text() -> str:
    """Return the stub."""
    front = vars(treegauge)
    stub, exports, verbs = Stub(), [], []
    homes = {name: home for home, names in front["_HOMES"].items() for name in names}
    for name, home in (*sorted(homes.items()), *front["_MODULES"].items()):
        value = getattr(treegauge, name)
        if hasattr(value, "subverbs"):
            verbs.append(stub.verb(name, value))
        elif inspect.ismodule(value):
            above = f"treegauge.{home}".rpartition(".")[0]
            exports.append(f"from {above} import {name} as {name}")
        else:
            exports.append(f"from treegauge.{home} import {name} as {name}")
    about = (treegauge.__doc__ or "").partition("\n")[0]
    head = HEAD.format(about=about)
    # Under this condition, the modules come first where mypy breaks the circle of front and modules.
    imports = textwrap.indent("\n".join([*stub.import_lines(), "", *sorted(exports)]), "    ")
    start = f"from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n{imports}\n\n__version__: str\n"
    return "\n".join([head, start, *verbs])


if __name__ == "__main__":
    for path, text in ((STUB, stub_text()), (schema.PATH, schema.schema_text())):
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path}")
