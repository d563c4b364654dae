# SPDX-License-Identifier: Apache-2.0
# Writes a public header as Doxygen is to see it.
"""usage: header_filter.py HEADER

Comments behind a member become Doxygen's, `typedef struct x {...} x` one declaration, an enumeration
without a name a macro or one with a name, and a line of tests a paragraph of its own.
"""
import os
import re
import sys

with open(sys.argv[1], encoding="utf-8") as header:
    text = header.read()
text = re.sub(r"(?m)^([^\n/]*[;,({}\w][^\n/\"]*?) // (.*)$", r"\1 ///< \2", text)
text = re.sub(r"(?ms)^typedef (struct|enum) (\w+) \{(.*?)\} \2;", r"\1 \2 {\3};", text)
# what has no name has no anchor on the page
text = re.sub(r"(?m)^enum \{ (\w+) = (\w+) \};", r"#define \1 \2", text)
stem = os.path.splitext(os.path.basename(sys.argv[1]))[0]
text = re.sub(r"(?m)^enum \{", f"enum cairn_{stem}_constants {{", text)
# Sphinx does not read members that point to arrays
text = re.sub(r"(?m)^( +[\w ]+)\(\*(\w+)\)(\[\w+\]);", r"\1\2[]\3;", text)
text = re.sub(r"(?m)^(\s*///) (Tests?|Source): ", r"\1\n\1 \2: ", text)
print(text, end="")
