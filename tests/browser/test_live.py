# SPDX-License-Identifier: Apache-2.0
# Scenes that run in a page: the same bits as here, from sliders and an edited program, and nothing is asked for.
"""usage: test_live.py ROOT HASHES [FOLDER for pictures]

Skipped (77) without a browser, and without build-webassembly/ (scripts/machines.sh --page).
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from browser import Browser, missing  # noqa: E402

ROOT, HASHES = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PICTURES = sys.argv[3] if len(sys.argv) > 3 else None
FOLDER = os.path.join(ROOT, "build-webassembly")
CHOOSE = "const e = document.getElementById(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('change'))"
STATE = "return document.documentElement.dataset.state"
failures = 0


def check(truth, what):
    global failures
    if not truth:
        failures += 1
        print(f"FAILED: {what}")


def keep(browser, name):
    if PICTURES:
        browser.picture(os.path.join(PICTURES, name + ".png"))


def hash_here(path, steps, *words):
    said = subprocess.run([HASHES, path, str(steps), *words], check=True, capture_output=True, text=True).stdout
    return said.split()[0]


def last(browser):
    """(hash, steps) of the newest frame."""
    return browser.run("const f = cairnLive.made.frames.at(-1); return [f.hash, f.steps]")


def check_scenes(browser):
    """Each scene comes to the hash that this machine has, and is drawn."""
    for name in browser.run("return cairnLive.scenes.map((scene) => scene.name)"):
        browser.run("cairnLive.choose(arguments[0])", name)
        browser.wait("return document.getElementById('hash-note').dataset.same", 300)
        scene = browser.run("return cairnLive.scene")
        same = browser.run("return document.getElementById('hash-note').dataset.same")
        said = browser.run("return document.getElementById('hash-note').textContent")
        expected = hash_here(os.path.join(ROOT, "scenes/library", name + ".lua"), scene["steps"])
        check(same == "true" and expected in said, f"{name}: {said}; here {expected}")
        browser.wait("return cairnReplay.stage.pictures > 3")
        check(browser.run("return document.getElementById('message').hidden"), f"{name}: nothing is complained of")
        keep(browser, "live_" + name)
        print(said)


def check_changes(browser):
    browser.run("cairnLive.choose('kapla_tower')")
    browser.wait("return Boolean(window.cairnReplay) && cairnLive.made.frames.length > 1")
    bodies = browser.run("return cairnLive.made.frames.at(-1).count")
    browser.run("""
        const slider = document.querySelector('[data-name=rings]');
        slider.value = 4;
        slider.dispatchEvent(new Event('change', {bubbles: true}));""")
    browser.wait("return cairnLive.made.frames.length > 1 && cairnLive.made.frames.at(-1).count < arguments[0]"
                 .replace("arguments[0]", str(bodies)))
    browser.wait("return document.documentElement.dataset.state === 'complete'", 300)
    found, steps = last(browser)
    expected = hash_here(os.path.join(ROOT, "scenes/library/kapla_tower.lua"), steps, "--set", "rings=4")
    check(found == expected, f"four rings after {steps} steps: {found}, here {expected}")
    note = browser.run("return document.getElementById('hash-note').textContent")
    check("no hash to compare" in note, f"a changed scene is not compared: {note}")
    table = browser.run("return cairnLive.made.csv('energy')").splitlines()
    check(table[0].startswith("time [s],kinetic [J],"), f"the table has its headings: {table[0]}")
    frames = browser.run("return cairnLive.made.frames.length")
    check(len(table) == 1 + frames and all(len(row.split(",")) == 12 for row in table), "a row a frame")


def check_program(browser, folder):
    """An edited program runs; one that is wrong is told of by its line; grains that come are shown."""
    text = """title "edited"
simulation{ step = 1e-3, end_time = 0.5 }
pair{ law = "hooke", normal_stiffness = 1e4, friction = 0.4 }
ground{}
emitter{ region = { min = {0, 0, 0.4}, max = {0.2, 0.2, 0.5} }, rate = 100, every = 0.05, size = 0.02 }
outlet{ region = { min = {-1, -1, -1}, max = {0.1, 1, 0.1} } }
body{ name = "<img src=x onerror=alert(1)>", shape = sphere{ radius = 0.02 }, position = {0.1, 0.1, 0.1} }
"""
    path = os.path.join(folder, "edited.lua")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    run = "const e = document.getElementById('program'); e.value = arguments[0]; cairnLive.values.clear(); cairnLive.run()"
    browser.run(run, text)
    browser.wait(STATE + " === 'complete'", 300)
    found, steps = last(browser)
    expected = hash_here(path, steps)
    check(found == expected, f"an edited program after {steps} steps: {found}, here {expected}")
    check(browser.run("return cairnReplay.run.about.title") == "edited", "the edited program is shown")
    check(browser.run("return document.querySelector('img') === null"), "a name is a text")
    browser.run(run, text.replace("ground{}", "grround{}"))
    browser.wait(STATE + " === 'failed'")
    message = browser.run("return document.getElementById('message').textContent")
    check("scene.lua:4" in message and "ground" in message, f"a wrong program is told of: {message}")
    keep(browser, "live_wrong")


def main():
    lack = missing()
    module = os.path.join(FOLDER, "cli/live/cairn_live.js")
    if lack is None and not os.path.exists(module):
        lack = "build-webassembly/ is not built (scripts/machines.sh --page)"
    if lack:
        print(f"skipped: {lack}")
        return 77
    # the module is that of these sources
    subprocess.run(["ninja", "-C", FOLDER, "cli/live/cairn_live.js"], check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory(prefix="cairn-live-") as folder:
        page = os.path.join(folder, "live.html")
        subprocess.run([sys.executable, os.path.join(ROOT, "web/fill.py"), ROOT, module, HASHES, page], check=True)
        with Browser() as browser:
            browser.open(page)
            browser.wait("return Boolean(window.cairnLive && window.cairnReplay)")
            check_scenes(browser)
            check_changes(browser)
            asked = [address for address in browser.requests() if not address.startswith(("chrome:", "data:", "blob:"))]
            check(asked == ["file://" + page], f"the page asks for nothing but itself: {asked[:5]}")
            check_program(browser, folder)
            said = browser.said()
            check(said == [], f"the page complains of nothing: {said}")
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
