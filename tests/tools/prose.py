# SPDX-License-Identifier: Apache-2.0
# Pages for readers: lines of 100 columns, paragraphs of 120 words, something to look at on each page, and not too many words in all.
"""usage: prose.py ROOT [--wrap]        --wrap breaks the lines of prose anew; code, tables and formulas stay as they are"""
import os
import re
import sys

import tree

COLUMNS = 100
PARAGRAPH_WORDS = 120
# limits of the words that a reader would have to go through, as wc -w counts them
USERS_WORDS, THEORY_WORDS = 45000, 8000
# the index of the folder, and what is for those who write programs in C or change this one
NO_USERS = tuple(f"docs/{page}.md" for page in ("README", "own_law", "c_interface", "extending", "reading", "threat_model"))
# what a line of prose must not be broken in: code, formulas, links, roles
ATOM = re.compile(r"`+[^`]*`+|(?<!\\)\$[^$]*\$|!?\[[^\]]*\]\([^)]*\)")
LABEL = re.compile(r"\(\S+\)=$")
ITEM = re.compile(r"( *)([-*+]|\d+\.) +")
# a line that begins so would be something else than prose
BEGINNING = re.compile(r"([-*+:>|#=]|\d+[.)])(\s|$)|[|>#]|```|\$\$|<!--|\(\S+\)=$|---")


def blocks(text):
    """[(kind, lines)] of a page; the kinds are "prose", "code", "table", "formula", "comment", "heading", "blank"."""
    found, lines, i = [], text.split("\n"), 0
    while i < len(lines):
        line, begin = lines[i], i
        i += 1
        if begin == 0 and line == "---" or line.lstrip().startswith("```"):
            mark = "---" if line == "---" else "```"
            while i < len(lines) and not lines[i].lstrip().startswith(mark):
                i += 1
            i += 1
            kind = "code"
        elif line.startswith("$$"):
            while i < len(lines) and "".join(lines[begin:i]).count("$$") < 2:
                i += 1
            kind = "formula"
        elif not line.strip():
            kind = "blank"
        elif line.startswith("    ") and (not found or found[-1][0] in ("blank", "code", "comment")) and \
                not in_list(found):
            while i < len(lines) and (lines[i].startswith("    ") or
                                      not lines[i].strip() and lines[i + 1:i + 2] and lines[i + 1].startswith("    ")):
                i += 1
            kind = "code"
        elif line.lstrip().startswith("|"):
            while i < len(lines) and lines[i].lstrip().startswith("|"):
                i += 1
            kind = "table"
        elif line.startswith("<") or LABEL.match(line):
            kind = "comment"
        elif line.startswith("#"):
            kind = "heading"
        else:
            kind = "prose"
        if kind == "prose":
            while i < len(lines) and lines[i].strip() and not ITEM.match(lines[i]) and \
                    not BEGINNING.match(lines[i]):
                i += 1
        found.append((kind, lines[begin:i]))
    return found


def in_list(found):
    """Whether the last block but blank ones is an item of a list, so that indented lines belong to it."""
    for kind, lines in reversed(found):
        if kind == "prose":
            return ITEM.match(lines[0]) is not None or lines[0].startswith("   ")
        if kind != "blank":
            return False
    return False


def words_of(line):
    """The pieces of a line between which it may be broken."""
    pieces, place = [""], 0
    for atom in [*ATOM.finditer(line), None]:
        for number, piece in enumerate(re.split(r"\s+", line[place:atom.start() if atom else len(line)])):
            if number:
                pieces.append("")
            pieces[-1] += piece
        if atom:
            pieces[-1] += atom.group()
            place = atom.end()
    return [piece for piece in pieces if piece]


def wrap(lines):
    """Lines of one paragraph or item, broken anew, where one of them is too long."""
    if max(map(len, lines)) <= COLUMNS:
        return lines
    item = ITEM.match(lines[0])
    first = item.group() if item else re.match(" *", lines[0]).group()
    broken, indent, line = [], first, []
    for piece in words_of(" ".join([lines[0][len(first):], *lines[1:]])):
        if line and len(indent + " ".join([*line, piece])) > COLUMNS and not BEGINNING.match(piece + " "):
            broken.append(indent + " ".join(line))
            indent, line = " " * len(first), []
        line.append(piece)
    return broken + [indent + " ".join(line)]


def wrap_page(text):
    return "\n".join(line for kind, lines in blocks(text)
                     for line in (wrap(lines) if kind == "prose" else lines))


def check_page(name, text):
    problems, seen, number = [], False, 1
    for kind, lines in blocks(text):
        seen = seen or kind in ("code", "table") and lines[0] != "---" or "![" in lines[0]
        for offset, line in enumerate(lines):
            if kind in ("prose", "code", "heading") and len(line) > COLUMNS and not line.startswith("!["):
                problems.append(f"{name}:{number + offset}: {len(line)} columns, more than {COLUMNS}")
        count = sum(len(line.split()) for line in lines)
        if kind == "prose" and count > PARAGRAPH_WORDS:
            problems.append(f"{name}:{number}: a paragraph of {count} words, more than {PARAGRAPH_WORDS}")
        number += len(lines)
    if not seen:
        problems.append(f"{name}: no picture, table or code to look at")
    return problems


def check_words(pages, report=print):
    """@param pages  {name: text} of all pages for readers"""
    theory = len(pages.get("docs/theory.md", "").split())
    users = sum(len(text.split()) for name, text in pages.items()
                if name not in NO_USERS + ("docs/theory.md",))
    report(f"words: {users} of at most {USERS_WORDS} for users, {theory} of {THEORY_WORDS} of theory")
    return [f"{count} words {what}, more than {most}"
            for count, most, what in ((users, USERS_WORDS, "for users"), (theory, THEORY_WORDS, "of theory"))
            if count > most]


def read_pages(root):
    """Notes are for those who change the program, and may be as long as they are."""
    return {name: tree.read(root, name) for name in tree.files(root, ".md")
            if name.startswith("docs/") and not name.startswith("docs/notes/")}


if __name__ == "__main__":
    all_pages = read_pages(sys.argv[1])
    if "--wrap" in sys.argv:
        for page, content in all_pages.items():
            with open(os.path.join(sys.argv[1], page), "w", encoding="utf-8") as file:
                file.write(wrap_page(content))
    else:
        tree.finish([problem for page, content in all_pages.items() for problem in check_page(page, content)] +
                    check_words(all_pages))
