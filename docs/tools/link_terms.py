# SPDX-License-Identifier: Apache-2.0
# Links each term of the glossary where a page uses it first.
"""For conf.py: connect(app). Code, headings, links, comments and mathematics are left alone."""
import re

LEFT_ALONE = re.compile(r"`[^`]*`|\$[^$]*\$|!?\[[^\]]*\]\([^)]*\)|<[^>]*>|\{\w+\}|https?://\S+")


def terms_of(glossary):
    """[(word in lower case, name of its entry)] of the glossary's entries, the longest first"""
    block = glossary.split("```{glossary}\n")[1].split("```")[0]
    found = []
    for line in block.splitlines():
        if line and not line.startswith(" "):
            found += [(re.sub(r" \(.*\)", "", word), line) for word in line.split(", ")]
    return sorted(found, key=lambda pair: -len(pair[0]))


def link_text(text, terms, seen):
    """A piece of prose with the terms linked that the page has not had."""
    for word, entry in terms:
        if word in seen:
            continue
        pattern = re.compile(rf"(?<![\w/{{`<.-])({re.escape(word)}s?)(?![\w}}`>/=-])", re.I)
        place, begin = None, 0
        for gap in [*LEFT_ALONE.finditer(text), None]:
            end = gap.start() if gap else len(text)
            place = place or next(iter(pattern.finditer(text, begin, end)), None)
            if place or not gap:
                break
            begin = gap.end()
        if place:
            seen.add(word)
            link = f"{{term}}`{place.group(1)} <{entry}>`"
            text = text[:place.start()] + link + text[place.end():]
    return text


def link_page(text, terms):
    seen, fenced, formula, lines = set(), False, False, []
    for line in text.split("\n"):
        if line.startswith("```"):
            fenced = not fenced
        prose = not (fenced or formula or line.startswith(("```", "$$", "#", "    ", "<!--", "!", "|")))
        if line.count("$$") == 1:
            formula = not formula
            prose = False
        lines.append(link_text(line, terms, seen) if prose else line)
    return "\n".join(lines)


def connect(app):
    with open("glossary.md", encoding="utf-8") as file:
        terms = terms_of(file.read())

    def link(_, name, source):
        if name != "glossary" and not name.startswith("_"):
            source[0] = link_page(source[0], terms)

    app.connect("source-read", link)
