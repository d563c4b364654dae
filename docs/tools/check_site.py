# SPDX-License-Identifier: Apache-2.0
# Every link and picture of the built site leads to a file of it, and every anchor to an element of its page.
"""usage: check_site.py HTML_FOLDER"""
import html.parser
import os
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.anchors, self.links = {""}, []

    def handle_starttag(self, _tag, attributes):
        given = dict(attributes)
        self.anchors.update(given[key] for key in ("id", "name") if given.get(key))
        self.links += [given[key] for key in ("href", "src", "poster") if given.get(key)]


def read_page(path):
    page = Page()
    with open(path, encoding="utf-8") as file:
        page.feed(file.read())
    return page


def check(folder):
    """@return (number of links, sentences on those that lead nowhere)"""
    pages = {}
    for root, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".html"):
                path = os.path.normpath(os.path.join(root, name))
                pages[path] = read_page(path)
    count, problems = 0, []
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            target = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path)))
            target = target if parts.path else path
            shown = os.path.relpath(path, folder)
            if not os.path.isfile(target):
                problems.append(f"{shown}: nothing at {link}")
            elif target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
                problems.append(f"{shown}: no such place on the page: {link}")
    return count, problems


if __name__ == "__main__":
    links, found = check(sys.argv[1])
    sheet = os.path.join(sys.argv[1], "_static/styles/furo.css")
    with open(sheet, encoding="utf-8") as theme:
        if "prefers-color-scheme: dark" not in theme.read():
            found.append(f"{sheet}: pages stay white where the system is dark")
    for problem in found:
        print(problem)
    print(f"site: {links} links, {len(found)} problems")
    sys.exit(1 if found or links == 0 else 0)
