"""Methods and stubs of the operations, made from the rows that the library's `schema` says.

    python3 generate.py LIBRARY FOLDER

writes _operations.py (methods with docstrings) and _operations.pyi (their whole signatures) into
the package's FOLDER. Operations of a family, such as ledger_recent, are methods of an object:
graph.ledger.recent().
"""

import ctypes
import json
import keyword
import os
import sys
import textwrap

TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
# Asked for by most callers, so they may be given without their name.
FIRST = ("words", "query")
HEAD = '"""Made from the rows of the operations by generate.py."""\n'


def rows(library):
    """All operations, with JSON Schemas of request and reply."""

    class Text(ctypes.Structure):
        _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_uint64),
                    ("owner", ctypes.c_void_p)]

    plexus = ctypes.CDLL(library)
    plexus.plexus_result_free.argtypes = [ctypes.c_void_p]
    reply = Text()
    code = plexus.plexus_call_at(None, b"schema", b"{}", ctypes.c_size_t(2), None,
                                 ctypes.byref(reply))
    text = ctypes.string_at(reply.data, reply.length)
    plexus.plexus_result_free(reply.owner)
    if code != 0:
        raise RuntimeError(text.decode())
    return json.loads(text.decode())["operations"]


def families(operations):
    """The first words that several operations of two words have."""
    counts = {}
    for row in operations:
        word, _, rest = row["operation"].partition("_")
        if rest:
            counts[word] = counts.get(word, 0) + 1
    return sorted(word for word, count in counts.items() if count > 1)


def python_name(name):
    return name + "_" if keyword.iskeyword(name) else name


def split_parameters(row):
    """Those that may be given without their name, and the others."""
    schema = row["request"]
    names = list(schema["properties"])
    plain = [name for name in names if name in schema["required"]]
    if not plain and names and names[0] in FIRST:
        plain = names[:1]
    return plain, [name for name in names if name not in plain]


def type_of(schema):
    if schema["type"] == "array":
        return "Union[str, Sequence[str]]"
    if "enum" in schema:
        return "Literal[%s]" % ", ".join(repr(value) for value in schema["enum"])
    return TYPES[schema["type"]]


def docstring(row, indent):
    lines = [row["summary"] + ".", ""]
    for name, schema in row["request"]["properties"].items():
        default = ", default %s" % json.dumps(schema["default"]) if "default" in schema else ""
        text = "%s: %s%s" % (python_name(name), schema["description"], default)
        lines += textwrap.wrap(text, 96 - indent, subsequent_indent="    ", initial_indent="  ",
                               break_long_words=False, break_on_hyphens=False)
    text = "\n".join(" " * indent + line if line else "" for line in lines)
    return text.lstrip().replace("\\", "\\\\").replace('"""', "'''")


def method(row, name):
    plain, others = split_parameters(row)
    required = row["request"]["required"]
    given = "".join(
        ", %s" % python_name(p) + ("" if p in required else "=None") for p in plain)
    lines = ["    def %s(self%s, **parameters):" % (python_name(name), given),
             '        """%s\n        """' % docstring(row, 8)]
    for p in others:
        if keyword.iskeyword(p):
            lines += ['        if "%s_" in parameters:' % p,
                      '            parameters["%s"] = parameters.pop("%s_")' % (p, p)]
    for p in plain:
        if p in required:
            lines.append('        parameters["%s"] = %s' % (p, python_name(p)))
        else:
            lines += ["        if %s is not None:" % p,
                      '            parameters["%s"] = %s' % (p, p)]
    lines.append('        return self._call("%s", parameters)' % row["operation"])
    return "\n".join(lines) + "\n"


# Rows whose reply is another one with, and without, a parameter.
REPLIES = {
    "export": (("output: str", "Reply"), "bytes"),
    "stats": (("metrics: Literal[True]", "bytes"), "Reply"),
}


def stub(row, name, is_async):
    plain, others = split_parameters(row)
    properties, required = row["request"]["properties"], row["request"]["required"]
    parts = ["self"]
    for index, p in enumerate(plain + others):
        if index == len(plain):
            parts.append("*")
        kind = type_of(properties[p])
        parts.append("%s: %s" % (python_name(p), kind) if p in required
                     else "%s: Optional[%s] = ..." % (python_name(p), kind))
    parts.append("progress: Optional[Progress] = ...")
    parts.append("cancel: Optional[Cancel] = ...")
    define = "    %sdef %s(" % ("async " if is_async else "", python_name(name))
    whole = define + ", ".join(parts) + ") -> %s: ...\n"
    if row["operation"] not in REPLIES:
        return whole % "Reply"
    (given, reply), other = REPLIES[row["operation"]]
    return "    @overload\n%sself, *, %s, **parameters: Any) -> %s: ...\n    @overload\n%s" % (
        define, given, reply, whole % other)


def class_name(family):
    return family.capitalize() + "Operations"


def source(operations):
    named = families(operations)
    text = HEAD + "\n__all__ = ['AsyncOperations', 'Operations']\n"
    for family in named:
        text += '\n\nclass %s:\n    """Operations of the family %s."""\n' % (
            class_name(family), family)
        text += "\n    def __init__(self, call):\n        self._call = call\n"
        for row in operations:
            if row["operation"].startswith(family + "_"):
                text += "\n" + method(row, row["operation"][len(family) + 1:])
    text += '\n\nclass Operations:\n    """All operations; _call answers them."""\n'
    for family in named:
        text += "\n    @property\n    def %s(self):\n        return %s(self._call)\n" % (
            family, class_name(family))
    for row in operations:
        if row["operation"].partition("_")[0] not in named:
            text += "\n" + method(row, row["operation"])
    # The same methods answer with coroutines where _call does.
    for name in [class_name(family) for family in named] + ["Operations"]:
        text += "\n\nAsync%s = %s\n" % (name, name)
    return text


def stubs(operations):
    named = families(operations)
    text = HEAD + ("\nfrom typing import (Any, Callable, Literal, Optional, Sequence, Union,\n"
                   "                    overload)\n"
                   "\nfrom ._library import Cancel\nfrom ._reply import Reply\n"
                   "\nProgress = Callable[[str, int, int], Optional[bool]]\n")
    for is_async in (False, True):
        prefix = "Async" if is_async else ""
        for family in named:
            text += "\nclass %s%s:\n" % (prefix, class_name(family))
            for row in operations:
                if row["operation"].startswith(family + "_"):
                    text += stub(row, row["operation"][len(family) + 1:], is_async)
        text += "\nclass %sOperations:\n" % prefix
        for family in named:
            text += "    @property\n    def %s(self) -> %s%s: ...\n" % (
                family, prefix, class_name(family))
        for row in operations:
            if row["operation"].partition("_")[0] not in named:
                text += stub(row, row["operation"], is_async)
    return text


def write(library, folder):
    operations = rows(library)
    with open(os.path.join(folder, "_operations.py"), "w", encoding="utf-8") as out:
        out.write(source(operations))
    with open(os.path.join(folder, "_operations.pyi"), "w", encoding="utf-8") as out:
        out.write(stubs(operations))


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2])
