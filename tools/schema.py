"""Write docs/schema.json: the JSON Schema of every kind of result, read from the result classes.

``python -m tools.face`` writes it. A result in JSON has its kind, signature and unit, the units of
its uncertainty, the fields of its class (:meth:`Result.json_fields`), and further results that are
attached to it. The classes are read, not run: the type of a field is that of the expression
that gives it, and any type where this cannot be seen.
"""

import ast
import json
from pathlib import Path
from typing import Any, NamedTuple

import treegauge

ROOT = Path(__file__).parents[1]
PATH = ROOT / "docs" / "schema.json"
ADDRESS = "https://treegauge.github.io/treegauge/schema.json"
Schema = dict[str, Any]
PLAIN = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null"}
ARRAYS = {"list", "tuple", "Sequence", "set", "frozenset", "Iterable", "range"}
OBJECTS = {"dict", "Mapping", "Counter"}
#: Functions and methods whose value has a type that their name gives away.
CALLS = {
    "str": "string", "len": "integer", "int": "integer", "float": "number", "bool": "boolean",
    "list": "array", "tuple": "array", "sorted": "array", "to_dicts": "array", "json_rows": "array", "tolist": "array",
    "dict": "object", "_asdict": "object", "vars": "object", "asdict": "object", "join": "string",
}  # fmt: skip


class Fields(NamedTuple):
    """The JSON fields of a class: their types, those that are always there, and whether any other may be."""

    types: dict[str, Schema]
    required: set[str]
    closed: bool = True

    def __or__(self, other: Any) -> "Fields":
        """Return both, the second before the first."""
        return Fields(self.types | other.types, self.required | other.required, self.closed and other.closed)


NOTHING = Fields({}, set())
ANYTHING = Fields({}, set(), False)


class Classes:
    """All classes of the package by name, which is unique."""

    def __init__(self) -> None:
        self.nodes: dict[str, ast.ClassDef] = {}
        for path in sorted((ROOT / "src").rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef):
                    self.nodes[node.name] = node

    def ancestors(self, name: str) -> list[ast.ClassDef]:
        """Return a class and those it is derived from, nearest first."""
        if name not in self.nodes:
            return []
        node = self.nodes[name]
        found = [node]
        for base in node.bases:
            word = ast.unparse(base).partition("[")[0].rpartition(".")[2]
            found += [one for one in self.ancestors(word) if one not in found]
        return found

    def results(self) -> dict[str, list[str]]:
        """Return the classes of each kind of result."""
        kinds: dict[str, list[str]] = {}
        for name in sorted(self.nodes):
            family = self.ancestors(name)
            if self.nodes["Result"] not in family:
                continue
            below = family[: family.index(self.nodes["Result"])]
            given = {word.arg: word.value for one in reversed(below) for word in one.keywords}
            kind = given.get("kind")
            if kind is not None:
                kinds.setdefault(ast.literal_eval(kind), []).append(name)
        return kinds

    def annotation(self, name: str, attribute: str) -> Schema:
        """Return the type of an attribute or a property, as it is annotated."""
        for node in self.ancestors(name):
            for line in node.body:
                if isinstance(line, ast.AnnAssign) and ast.unparse(line.target) == attribute:
                    return _annotated(line.annotation)
                if isinstance(line, ast.FunctionDef) and line.name == attribute and line.returns is not None:
                    return _annotated(line.returns)
        return {}

    def fields(self, name: str, above: str | None = None) -> Fields:
        """Return the JSON fields of a class, or of what is above one of its ancestors."""
        family = self.ancestors(name)
        start = next((place + 1 for place, one in enumerate(family) if one.name == above), 0)
        for node in family[start:]:
            for line in node.body:
                if isinstance(line, ast.FunctionDef) and line.name == "json_fields":
                    return _Reader(self, name, node.name, line).returned()
        return ANYTHING


class _Reader:
    """Reads one ``json_fields``."""

    def __init__(self, classes: Classes, name: str, owner: str, function: ast.FunctionDef) -> None:
        self.classes, self.name, self.owner, self.function = classes, name, owner, function
        self.locals = {
            target.id: line.value
            for line in ast.walk(function)
            if isinstance(line, ast.Assign)
            for target in line.targets
            if isinstance(target, ast.Name)
        }

    def returned(self) -> Fields:
        ends = [line.value for line in ast.walk(self.function) if isinstance(line, ast.Return) and line.value]
        found = [self.fields(end) for end in ends]
        every = set.intersection(*(one.required for one in found))
        whole = NOTHING
        for one in found:
            whole = whole | one
        return whole._replace(required=every)

    def fields(self, node: ast.expr) -> Fields:
        """Return the fields that an expression gives."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self.fields(node.left) | self.fields(node.right)
        if isinstance(node, ast.IfExp):
            both = self.fields(node.body), self.fields(node.orelse)
            return (both[0] | both[1])._replace(required=both[0].required & both[1].required)
        if isinstance(node, ast.Name) and node.id in self.locals:
            return self.fields(self.locals[node.id])
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "super().json_fields":
            return self.classes.fields(self.name, self.owner)
        if not isinstance(node, ast.Dict):
            return ANYTHING
        found = NOTHING
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                found = found | self.fields(value)
            elif isinstance(key, ast.Constant):
                found = found | Fields({str(key.value): self.type(value)}, {str(key.value)})
            else:
                found = found | ANYTHING
        return found

    def type(self, node: ast.expr) -> Schema:  # noqa: PLR0911 -- one line per kind of expression
        """Return the type of an expression."""
        match node:
            case ast.Constant(value=value):
                return {"type": PLAIN["None" if value is None else type(value).__name__]}
            case ast.List() | ast.ListComp() | ast.Tuple():
                return {"type": "array"}
            case ast.Dict() | ast.DictComp():
                return {"type": "object"}
            case ast.JoinedStr():
                return {"type": "string"}
            case ast.Compare():
                return {"type": "boolean"}
            case ast.IfExp(body=body, orelse=other):
                return _either(self.type(body), self.type(other))
            case ast.Name(id=word) if word in self.locals:
                return self.type(self.locals[word])
            case ast.Call(func=function):
                word = ast.unparse(function).rpartition(".")[2]
                return _nullable({"type": CALLS[word]}) if word in CALLS else {}
            case ast.Attribute(value=ast.Name(id="self"), attr=attribute):
                return self.classes.annotation(self.name, attribute)
        return {}


def _annotated(node: ast.expr) -> Schema:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        node = ast.parse(node.value, mode="eval").body
    if isinstance(node, ast.BinOp):
        return _either(_annotated(node.left), _annotated(node.right))
    word = ast.unparse(node).partition("[")[0].rpartition(".")[2]
    if word == "Literal" or word in PLAIN:
        return _nullable({"type": PLAIN.get(word, "string")})
    kind = "array" if word in ARRAYS else "object" if word in OBJECTS else None
    return {"type": kind} if kind else {}


def _nullable(schema: Schema) -> Schema:
    """Return the type with null for numbers, since undefined ones are null in JSON."""
    return {"type": ["number", "null"]} if schema == {"type": "number"} else schema


def _either(one: Schema, other: Schema) -> Schema:
    if not one or not other:
        return {}
    types = [part for schema in (one, other) for part in _types(schema)]
    unique = list(dict.fromkeys(types))
    return {"type": unique[0] if len(unique) == 1 else unique}


def _types(schema: Schema) -> list[str]:
    return schema["type"] if isinstance(schema["type"], list) else [schema["type"]]


def result_schema(kind: str, fields: Fields) -> Schema:
    """Return the schema of one class of results."""
    part = {"$ref": "#/$defs/result"}
    attached: Schema | bool = {"anyOf": [part, {"type": "array", "items": part}]}
    rows = {"type": "array", "items": {"type": "object"}}
    types = {name: rows if name == "rows" and schema.get("type") == "array" else schema
             for name, schema in fields.types.items()}  # fmt: skip
    return {
        "type": "object",
        "properties": {
            "kind": {"const": kind},
            "signature": {"type": "string"},
            "unit": {"type": ["string", "null"]},
            "units": {"type": ["string", "null"]},
            "notes": {"type": "array"},
            **types,
        },
        "required": ["kind", "signature", "unit", *sorted(fields.required)],
        "additionalProperties": attached if fields.closed else True,
    }


def schema() -> Schema:
    """Return the schema of all results."""
    classes = Classes()
    kinds = {
        kind: [result_schema(kind, classes.fields(name)) for name in names]
        for kind, names in sorted(classes.results().items())
    }
    definitions: Schema = {
        kind.replace(" ", "-"): shapes[0] if all(one == shapes[0] for one in shapes) else {"anyOf": shapes}
        for kind, shapes in kinds.items()
    }
    choices = [
        {"if": {"properties": {"kind": {"const": kind}}}, "then": {"$ref": f"#/$defs/{kind.replace(' ', '-')}"}}
        for kind in kinds
    ]
    envelope = {
        "type": "object",
        "required": ["kind", "signature", "unit"],
        "properties": {"kind": {"enum": list(kinds)}},
        "allOf": choices,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ADDRESS,
        "title": "A result of treegauge in JSON",
        "version": treegauge.__version__,
        "$ref": "#/$defs/result",
        "$defs": {"result": envelope, **definitions},
    }


def schema_text() -> str:
    """Return the schema as text, one kind per line."""
    whole = schema()
    lines = [f"{json.dumps(name)}: {json.dumps(part)}" for name, part in whole.pop("$defs").items()]
    head = json.dumps(whole, indent=1).removesuffix("\n}")
    return head + ',\n "$defs": {\n  ' + ",\n  ".join(lines) + "\n }\n}\n"
