"""A function called as the example of its docstring does, but with one argument that is another."""

import ast
import contextlib
import inspect
import io

import numpy as np
import public_names
import tenorite as tn


def code_of(thing):
    """The statements of the example of a docstring."""
    lines = [line.strip() for line in public_names.section(public_names.text_of(thing), "Examples") or ()]
    return ast.parse("\n".join(line[4:] for line in lines if line.startswith((">>> ", "... "))))


def call_with(name, thing, parameter, value):
    """Calls a function as its example does, but with this value of a parameter. False: the example
    has no such call."""
    names = {"tenorite": tn, "cp": tn, "tn": tn, "np": np, "numpy": np}
    position = [one for one in inspect.signature(thing).parameters if one != "self"].index(parameter)
    for statement in code_of(thing).body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == name:
                node.keywords = [one for one in node.keywords if one.arg != parameter]
                wrong = ast.parse(value, mode="eval").body
                if len(node.args) > position:
                    node.args[position] = wrong
                else:
                    node.keywords.append(ast.keyword(parameter, wrong))
                eval(compile(ast.fix_missing_locations(ast.Expression(node)), name, "eval"), names)
                return True
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(ast.Module([statement], []), name, "exec"), names)
    return False
