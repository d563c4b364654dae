# SPDX-License-Identifier: Apache-2.0
# Shows each house check one clean case and one of every offence that it must catch.
import unittest

import count
import exports
import figures
import fragments
import house
import layers
import links
import modules
import purity
import rings

HEAD = "// SPDX-License-Identifier: Apache-2.0\n// One line of purpose.\n"


class Layers(unittest.TestCase):
    tree = {
        "include/cairn/status.h": "",
        "include/cairn/cairn.h": "#include <cairn/status.h>\n",
        "base/status.h": "#include <cairn/status.h>\n",
        "base/parallel.c": "#include <pthread.h>\n",
        "base/ranks/ranks.c": "#include <mpi.h>\n",
        "geometry/shape/shape.h": '#include "base/status.h"\n',
        "contact/laws/law.h": '#include "geometry/shape/shape.h"\n',
        "engine/state/world.h": '#include <cairn/cairn.h>\n#include "contact/laws/law.h"\n',
        "scenes/scene.h": '#include <cairn/cairn.h>\n',
        "viewer/app/view.h": '#include "scenes/scene.h"\n',
        "viewer/gpu/gpu.h": "",
        "cli/view.c": '#include "viewer/app/view.h"\n',
        "cli/main.c": '#include "scenes/scene.h"\n#include "base/status.h"\n#include "cli/table.h"\n',
        "cli/table.h": "",
        "tests/unit/test.c": '#include "engine/state/world.h"\n#include "cli/table.h"\n',
    }

    def problems(self, name, text):
        return layers.check({**self.tree, name: text})

    def test_clean(self):
        self.assertEqual(layers.check(self.tree), [])

    def test_offences(self):
        for name, text, words in [
                ("base/a.c", '#include "geometry/shape/shape.h"', "upward"),
                ("contact/a.c", '# include "engine/state/world.h"', "upward"),
                ("viewer/a.c", '#include "cli/table.h"', "upward"),
                ("engine/a.c", '#include "tests/unit/test.h"', None),
                ("cli/a.c", '#include "engine/state/world.h"', "public headers"),
                ("cli/a.c", '#include "contact/laws/law.h"', "public headers"),
                ("cli/a.c", '#include "viewer/gpu/gpu.h"', "public headers"),
                ("scenes/a.c", '#include "viewer/app/view.h"', "upward"),
                ("include/cairn/cairn.h", '#include "contact/laws/law.h"', "public header"),
                ("cli/a.c", '#include "include/cairn/cairn.h"', "<cairn/cairn.h>"),
                ("cli/a.c", "#include <cairn/none.h>", "no such public header"),
                ("engine/state/a.c", '#include "world.h"', "from the root"),
                ("engine/a.c", '#include "../contact/laws/law.h"', "from the root"),
                ("engine/a.c", '#include "engine/none.h"', "no such file"),
                ("engine/a.c", '#include "base/parallel.c"', "only headers"),
                ("engine/a.c", "#include <pthread.h>", "threads"),
                ("base/a.c", "#include <mpi.h>", "knows MPI"),
                ("tests/unit/a.c", "#include <mpi.h>", "knows MPI"),
                ("engine/a.c", "#include <contact/laws/law.h>", "quotes")]:
            tree = {**self.tree, "tests/unit/test.h": "", name: "int a;\n" + text + "\n"}
            problems = layers.check(tree)
            self.assertEqual(len(problems), 1, (name, text, problems))
            self.assertIn(f"{name}:2: ", problems[0])
            self.assertIn(words or "does not know", problems[0])

    def test_rings(self):
        two = {"base/a.h": '#include "base/b.h"\n', "base/b.h": '#include "base/a.h"\n'}
        self.assertEqual(layers.check(two), ["ring: base/a.h -> base/b.h -> base/a.h"])
        self.assertEqual(len(layers.check({"base/a.h": '#include "base/a.h"\n'})), 1)
        diamond = {"base/a.h": '#include "base/b.h"\n#include "base/c.h"\n',
                   "base/b.h": '#include "base/d.h"\n', "base/c.h": '#include "base/d.h"\n',
                   "base/d.h": ""}
        self.assertEqual(layers.check(diamond), [])


    def test_folders(self):
        tree = {"contact/linear/a.h": "", "contact/solvers/solver.h": "",
                "contact/solvers/control.h": "", "contact/solvers/newton/a.h": ""}
        for name, path, count in [
                ("contact/solvers/newton/b.c", "contact/linear/a.h", 0),
                ("contact/solvers/newton/b.c", "contact/solvers/control.h", 0),
                ("contact/solvers/newton/b.c", "contact/solvers/solver.h", 0),
                ("contact/solvers/b.c", "contact/solvers/newton/a.h", 0),
                ("contact/solvers/first_order/b.c", "contact/solvers/newton/a.h", 1),
                ("contact/linear/b.c", "contact/solvers/control.h", 1)]:
            problems = layers.check({**tree, name: f'#include "{path}"\n'})
            self.assertEqual(len(problems), count, (name, path, problems))


class Rings(unittest.TestCase):
    # base/a.c and contact/linear/b.c of a clean tree, one line an object and a symbol
    source_of = {"x/a.o": "base/a.c", "x/b.o": "contact/linear/b.c", "x/c.o": "contact/cones/c.c",
                 "x/d.o": "engine/state/d.c", "x/e.o": "engine/passes/e.c",
                 "x/f.o": "engine/files/f.c"}
    clean = """
x/a.o:0000000000000000 T base_f
x/a.o:0000000000000000 t helper
x/a.o:                 U malloc
x/b.o:0000000000000010 D con_table
x/b.o:                 U base_f
x/c.o:0000000000000010 T con_c
x/c.o:                 U con_table
x/d.o:0000000000000010 T eng_d
x/d.o:                 U con_c
x/e.o:0000000000000010 T eng_e
x/e.o:                 U eng_d
x/f.o:0000000000000010 T eng_f
x/f.o:                 U eng_e
"""

    def problems(self, *lines):
        listing = self.clean + "".join(line + "\n" for line in lines)
        symbols = list(rings.parse_listing(listing))
        return rings.check(rings.calls_between(symbols, self.source_of))

    def test_clean(self):
        self.assertEqual(self.problems(), [])

    def test_rings(self):
        problems = self.problems("x/d.o:        U eng_e")
        self.assertEqual(problems[1:], ["upward: engine/state/d.c calls eng_e of engine/passes/e.c"])
        self.assertTrue(problems[0].startswith("ring of 2 files: engine/passes/e.c -> "), problems)
        self.assertIn("(eng_d)", problems[0])
        # a table that holds an address is a call, too; rings of three are found whole
        problems = self.problems("x/d.o:        U eng_f")
        self.assertTrue(problems[0].startswith("ring of 3 files: "), problems)

    def test_upward(self):
        problems = self.problems("x/a.o:        U con_c", "x/a.o:         U con_table")
        self.assertEqual(problems, ["ring of 3 files: base/a.c -> contact/cones/c.c (con_c); "
                                    "base/a.c -> contact/linear/b.c (con_table); "
                                    "contact/cones/c.c -> contact/linear/b.c (con_table); "
                                    "contact/linear/b.c -> base/a.c (base_f)",
                                    "upward: base/a.c calls con_c of contact/cones/c.c",
                                    "upward: base/a.c calls con_table of contact/linear/b.c"])
        problems = self.problems("x/a.o:        U eng_f")
        self.assertEqual([problem.split(":")[0] for problem in problems],
                         ["ring of 6 files", "upward"])
        problems = self.problems("x/d.o:        U eng_f")
        self.assertIn("upward: engine/state/d.c calls eng_f of engine/files/f.c", problems)
        # between the folders of a room
        problems = self.problems("x/b.o:        U con_c")
        self.assertIn("upward: contact/linear/b.c calls con_c of contact/cones/c.c", problems)


class Fragments(unittest.TestCase):
    text = """
static int twice(int a)
{
    return 2 * a; // once(a)
}

static int once(int a)
{
    return a;
}

static bool in_table(const char *text)
{
    return text[0] == 'o' && "once(1)"[0] == 'o';
}

int shared(int a)
{
    return twice(a) + twice(once(a));
}

const table list = {.run = in_table, .once = NULL};
"""

    def test_counts(self):
        found = fragments.functions_of(self.text)
        self.assertEqual(found, [("twice", 4, True, 2, False), ("once", 4, True, 1, False),
                                 ("in_table", 4, True, 0, True), ("shared", 4, False, 0, False)])
        figures = fragments.figures(found)
        self.assertEqual((figures["static"], figures["called once"], figures["longest"]), (3, 1, 4))

    def test_offences(self):
        few = {"base/a.c": fragments.functions_of(self.text)}
        self.assertEqual(fragments.check(few), [])
        many = {"base/a.c": [("f", 8, True, 1, False)] * 3 + [("g", 8, True, 2, False)]}
        self.assertEqual(len(fragments.check(many)), 1)
        long = {"base/a.c": [("f", fragments.LINES_MAX + 1, False, 0, False)]
                + [("g", 8, True, 2, False)] * 4}
        self.assertEqual(len(fragments.check(long)), 1)
        wide = {"base/a.c": [("f", fragments.MEDIAN_MAX + 1, False, 0, False)]}
        self.assertEqual(len(fragments.check(wide)), 1)


class Figures(unittest.TestCase):
    def test_members(self):
        code = figures.code_of("""struct a {\n    int b, c; // one, two\n    void (*f)(int d, int e);
    struct { double g[2], h; } i;\n};\n""")
        self.assertEqual(figures.structs_of(code)[0], ("a", 6))

    def test_late_includes(self):
        text = '// head\n#include "base/a.h"\n#define X(a) \\\n    a\n#include "base/b.h"\nint f;\n#include "base/c.h"\n'
        self.assertEqual(figures.late_includes(text), [7])

    def test_modules(self):
        texts = {"base/a.h": "", "base/b.h": "", "base/a.c": '#include "base/a.h"\n#include "base/b.h"\n',
                 "base/b.c": '#include "base/a.h"\n'}
        self.assertEqual(rings.find_rings(figures.module_graph(texts)), [["base/a", "base/b"]])
        self.assertEqual(rings.find_rings(figures.module_graph({**texts, "base/b.c": ""})), [])

    def test_callers(self):
        source_of = {"a.o": "base/a.c", "b.o": "base/b.c", "c.o": "base/c.c"}
        listing = "a.o: 0 T f\na.o: 0 T g\na.o: 0 T cairn_h\nb.o: U f\nb.o: U g\nc.o: U g\nc.o: U cairn_h\n"
        self.assertEqual(figures.one_caller(list(rings.parse_listing(listing)), source_of), (2, 1))

    def test_world(self):
        text = "void f(cairn_world *world)\n{\n}\n\nint g(const cairn_world *world, int i)\n{\n}\n"
        self.assertEqual(figures.functions_with_world({"engine/a.c": text}), (2, 1))


class House(unittest.TestCase):
    def test_folders(self):
        few = [f"base/a{i}.c" for i in range(house.FILES_MAX)] + ["base/meson.build", "base/x/a.c"]
        self.assertEqual(house.advise(few, lambda name: house.LINES_MAX), [])
        self.assertEqual(len(house.advise(few + ["base/b.h"], lambda name: 1)), 1)
        self.assertEqual(len(house.advise(few, lambda name: house.LINES_MAX + (name == "base/a0.c"))), 1)
        self.assertEqual(house.check_rooms(few + ["README.md", ".ci/run"]), [])
        self.assertEqual(house.check_rooms(few + ["out2/a.csv"]), ["out2: no folder of the project"])

    def test_clean(self):
        self.assertEqual(house.check_file("base/a.c", HEAD + "int a;\n"), [])
        self.assertEqual(house.check_file("a.sh", "#!/bin/sh\n" + HEAD.replace("//", "#")), [])
        self.assertEqual(house.check_file("tests/bad/a.lua", "oops(\n"), [])
        self.assertEqual(house.check_file("base/a.c", HEAD + '"cairn_XX' 'XXXX" forces/tmp/x\n'), [])

    def test_offences(self):
        for name, text in [
                ("base/a.c", "int a;\n"),
                ("base/a.c", "// SPDX-License-Identifier: Apache-2.0\nint a;\n"),
                ("base/a.c", HEAD + "int a; // TO" "DO more\n"),
                ("base/a.c", HEAD + "int a; // see /ho" "me/me/notes\n"),
                ("README.md", "run /wo" "rk/cairn\n"),
                ("base/a.c", HEAD + "int a; \n"),
                ("base/a.c", HEAD + "int a;")]:
            self.assertEqual(len(house.check_file(name, text)), 1, (name, text[:120]))


class Exports(unittest.TestCase):
    header = {"h": exports.declared_in(
        "#define CAIRN_API __attribute__((visibility))\n// CAIRN_API int not_this(void);\n"
        "CAIRN_API const cairn_a *cairn_get(const cairn_w *w,\n    int i) CHECK;\n"
        "static inline int cairn_inline(int a) { return a; }\nCAIRN_API int cairn_set(void);\n")}

    def test_declared(self):
        self.assertEqual(self.header["h"], {"cairn_get", "cairn_set"})

    def test_checks(self):
        self.assertEqual(exports.check(self.header, {"cairn_get", "cairn_set"}), [])
        for wrong in ({"cairn_get"}, {"cairn_get", "cairn_set", "eng_step"},
                      {"cairn_get", "cairn_set", "cairn_other"}, set()):
            self.assertEqual(len(exports.check(self.header, wrong)), 1, wrong)


class Purity(unittest.TestCase):
    def test_listing(self):
        listing = """
a.c.o:     file format elf64-x86-64
0000000000000000 l     O .rodata	0000000000000008 table
0000000000000000 l     O .data.rel.ro.local	0000000000000008 names
0000000000000000 g     F .text	0000000000000008 .hidden base_log
0000000000000000         *UND*	0000000000000000 vsnprintf
"""
        self.assertEqual(purity.check_listing(listing), [])
        self.assertEqual(len(purity.check_listing("In archive a.a:\n")), 1)
        for line in ("0000000000000000 l     O .bss	0000000000000004 counter",
                     "0000000000000000 g     O .data	0000000000000004 .hidden level",
                     "0000000000000004       O *COM*	0000000000000004 common",
                     "0000000000000000         *UND*	0000000000000000 exit"):
            problems = purity.check_listing(listing + line + "\n")
            self.assertEqual(len(problems), 1, line)
            self.assertTrue(problems[0].startswith("a.c.o: "), problems)


class Links(unittest.TestCase):
    def problems(self, text, files):
        return links.check_page("docs/x.md", text, files.get, files.__contains__)

    def test_links(self):
        page = "# Here\n[a](../a.md#a-part-c) [b](https://b.example#x) [c](#here) [d](d.md)"
        files = {"a.md": "## A part: `C`\n", "docs/x.md": page}
        self.assertEqual(self.problems(page, {**files, "docs/d.md": ""}), [])
        self.assertEqual(self.problems(page, files), ["docs/x.md: no such file: d.md"])

    def test_anchors(self):
        page = "[a](a.md#two-1) [b](a.md#three) [c](b.c#L3)"
        files = {"docs/a.md": "# Two\n## Two\n```\n# Three\n```\n", "docs/b.c": None}
        self.assertEqual(self.problems(page, files), ["docs/x.md: docs/a.md has no heading for #three"])

    def test_pictures(self):
        picture = "![p](pictures/p.png)"
        self.assertEqual(self.problems("<!-- render: scene.lua -o pictures/p.png -->\n" + picture, {}), [])
        self.assertEqual(self.problems(picture, {}), ["docs/x.md: no such file: pictures/p.png"])


class Modules(unittest.TestCase):
    helper = "import os\nSIDE = 1\ntry:\n    SIZE, AREA = 2, 3\nexcept OSError:\n    pass\ndef make(): inner = 1\n"

    def problems(self, text, helper=helper):
        return modules.check({"bench/a/run.py": text, "bench/b/helper.py": helper, "bench/a/os.py": ""})

    def test_clean(self):
        self.assertEqual(self.problems("import os\nimport helper as h\nfrom helper import AREA\n"
                                       "print(os.sep, h.SIDE, h.SIZE, h.make(), h.os)\n"), [])
        self.assertEqual(self.problems("import helper\nhelper.any", "def __getattr__(name): return name\n"), [])

    def test_offences(self):
        self.assertEqual(self.problems("import helper\nprint(helper.SIDES)\n"), ["bench/a/run.py:2: helper has no SIDES"])
        self.assertEqual(self.problems("from helper import inner\n"), ["bench/a/run.py:1: helper has no inner"])


class Count(unittest.TestCase):
    def test_counts(self):
        ok, skip, fail = (f'{{"name": "cairn:unit / a", "result": "{result}"}}\n' for result in ("OK", "SKIP", "TIMEOUT"))
        self.assertEqual(count.count([ok, ok, skip], 0), (2, [], 1))
        self.assertEqual(count.count([ok, fail], 1), (1, ["a"], 0))
        self.assertEqual(count.count([ok], 124), (1, ["a run that ended early"], 0))
        self.assertEqual(count.count([], 0), (0, ["a run that ended early"], 0))


if __name__ == "__main__":
    unittest.main()
