"""Prints the symbols and imports of Python files, by Python's own parser: a JSON object for each path on stdin."""

import ast
import json
import sys


def walk(nodes, member, symbols):
    """Adds the definitions among nodes that are not inside of functions."""
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            symbols.append([node.name, "class", node.lineno])
            walk(node.body, True, symbols)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            symbols.append([node.name, "method" if member else "function", node.lineno])
        else:
            for name in ("body", "orelse", "finalbody", "handlers", "cases"):
                walk(getattr(node, name, []) if isinstance(getattr(node, name, []), list) else [], member, symbols)


for path in sys.stdin.read().splitlines():
    try:
        tree = ast.parse(open(path, "rb").read())
    except (SyntaxError, ValueError, RecursionError):
        continue
    symbols, imports = [], []
    walk(tree.body, False, symbols)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports += [[a.name, node.lineno] for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            imports.append(["." * node.level + (node.module or ""), node.lineno])
    print(json.dumps({"file": path, "symbols": symbols, "imports": imports}))
