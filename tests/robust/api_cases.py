# SPDX-License-Identifier: Apache-2.0
# Calls of every function of the public headers with NULL, wrong indices, wrong enum constants and
# negative counts, one at a time, for test_api.c.
"""usage: api_cases.py HEADER... > cases.inc

Each line is API_CASE(function, what, rule, code): the rule says what the call must answer."""
import re
import sys

COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
DECLARATION = re.compile(r"\bCAIRN_API\s+([^;{]*?)\b(cairn_\w+)\s*\(([^;{]*?)\)"
                         r"\s*(?:CAIRN_CHECK_RESULT)?\s*;", re.DOTALL)
ENUM = re.compile(r"typedef enum (cairn_\w+)")
OPAQUE = re.compile(r"typedef struct (cairn_\w+) \1;")
# arguments that may be NULL, besides error, context and functions
OPTIONAL = {("cairn_world_save", "note"), ("cairn_world_write_fclib", "title"),
            ("cairn_world_write_fclib", "description"), ("cairn_world_set_contact_filter", "def"),
            ("cairn_problem_check", "direction"), ("cairn_world_find_overlaps", "overlaps"),
            ("cairn_world_find_jam", "bodies"), ("cairn_world_read", "values"),
            ("cairn_world_write", "values"), ("cairn_trajectory_close", "writer"),
            ("cairn_query_ray_all", "hits"), ("cairn_query_box", "bodies")}
# what stands for a good argument
OBJECTS = {"cairn_world", "cairn_scene", "cairn_problem", "cairn_replay", "cairn_trajectory",
           "cairn_paraview", "cairn_snapshot", "cairn_query"}
IDS = {"cairn_body_id": "body", "cairn_shape_id": "shape", "cairn_joint_id": "joint",
       "cairn_material_id": "material", "cairn_connector_id": "connector"}
NUMBERS = {"int": ("0", ("-1", "INT_MAX", "INT_MIN")), "int64_t": ("0", ("-1", "INT64_MAX")),
           "double": ("1.0", ("NAN", "-1.0")), "bool": ("true", ()), "uint64_t": ("0", ()),
           "cairn_value": ("cairn_number(1.0)", ("bad_value", "cairn_text(NULL)")),
           "cairn_collision": ("(cairn_collision){1, 1}", ()),
           "cairn_paraview_state": ("(cairn_paraview_state){0}",
                                    ("((cairn_paraview_state){.frames = -1, .extent = NAN})",))}


def strip(text):
    return "\n".join(line for line in COMMENTS.sub("", text).split("\n")
                     if not line.lstrip().startswith("#"))


class Argument:
    def __init__(self, text, enums, opaque):
        text = " ".join(text.split())
        array = re.search(r"(\w+)\[(\d+)\]$", text)
        row = re.search(r"\(\*(\w+)\)\[(\d+)\]$", text)
        self.name = (array or row or re.search(r"(\w+)$", text)).group(1)
        kind = re.sub(r"\bconst\b|struct", "", text[:text.rindex(self.name)]).strip()
        self.pointer = bool(array or row) or "*" in kind
        base = self.kind = kind.replace("*", "").replace("(", "").strip()
        self.bad = ()
        self.optional = self.name in ("error", "context") or base.endswith("_function")
        if base.endswith("_function") or self.name == "context":
            self.good = "NULL"
        elif self.name == "error":
            self.good = "&error"
        elif self.pointer and kind.count("*") == 1 and base in OBJECTS:
            self.good = "fixture." + base[len("cairn_"):]
        elif self.pointer and kind.count("*") == 1 and base in opaque:
            self.good = "NULL"  # the test makes none of these
        elif self.pointer and base == "char" and "const" in text:
            self.good = '"nothing"'
        elif array and "const" in text:
            self.good = "axis"
        elif self.pointer:
            self.good = "(void *)scratch"
        elif base in IDS:
            self.good = "fixture." + IDS[base]
            self.bad = ("(%s){0}" % base, "(%s){UINT32_MAX, 1, fixture.tag}" % base,
                        "(%s){0, 7, fixture.tag}" % base)
        elif base in enums:
            self.good = f"({base})0"
            self.bad = tuple(f"({base}){value}" for value in ("99", "-1"))
        else:
            self.good, self.bad = NUMBERS[base]


def cases_of(result, name, arguments):
    """(what, rule, call)"""
    def call(at, value):
        return "%s(%s)" % (name, ", ".join(value if i == at else a.good
                                           for i, a in enumerate(arguments)))
    for i, argument in enumerate(arguments):
        if argument.pointer:
            free = argument.optional or (name, argument.name) in OPTIONAL
            refused = result == "cairn_status" and not free and argument.name != "error"
            yield argument.name + " NULL", "REFUSED" if refused else "RETURNS", call(i, "NULL")
        for value in argument.bad:
            # settings have ranges of their own, which other tests know
            strict = argument.kind not in ("double", "cairn_value") and \
                (argument.name, value) != ("capacity", "INT_MAX")
            refused = result == "cairn_status" and strict
            yield f"{argument.name} = {value}", "REFUSED" if refused else "RETURNS", call(i, value)


def main():
    texts = [strip(open(path, encoding="utf-8").read()) for path in sys.argv[1:]]
    enums = set().union(*(ENUM.findall(text) for text in texts))
    opaque = set().union(*(OPAQUE.findall(text) for text in texts))
    for text in texts:
        for result, name, arguments in DECLARATION.findall(text):
            result = " ".join(result.split())
            arguments = [Argument(a, enums, opaque) for a in arguments.split(",")
                         if a.strip() not in ("", "void")]
            if not arguments:
                print(f'API_CASE("{name}", "no argument", RETURNS, ((void){name}(), 0))')
            for what, rule, code in cases_of(result, name, arguments):
                if result == "cairn_status":
                    code = f"(int){code}"
                elif result == "bool":
                    code = f"((void)!{code}, 0)"  # one that has to be looked at, too
                else:
                    code = f"((void){code}, 0)"
                what = what.replace('"', "'")
                print(f'API_CASE("{name}", "{what}", {rule}, {code})')


main()
