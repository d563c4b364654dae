# SPDX-License-Identifier: Apache-2.0
# Pages of cairn export in a browser: they show what the run holds, ask for nothing, and run no stranger's script.
"""usage: test_page.py PROGRAM ROOT [FOLDER for pictures]"""
import json
import os
import sys

import h5py
import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../cli"))
sys.path.insert(0, HERE)
from browser import Browser, missing  # noqa: E402
from command import Folder, check, finish  # noqa: E402

PICTURES = sys.argv[3] if len(sys.argv) > 3 else None

POUR = """
title "grains that come and go"
simulation{ step = 1e-3, end_time = 0.8 }
material{ name = "sand", density = 2500 }
pair{ law = "hooke", normal_stiffness = 1e4, friction = 0.4 }
ground{ material = "sand" }
body{ name = "block", shape = box{ size = {0.1, 0.1, 0.02} }, material = "sand", position = {0.1, 0.1, 0.011} }
body{ name = "far", kind = "fixed", shape = box{ size = {1, 1, 1} }, material = "sand", position = {20000, 0, 0.5} }
emitter{ region = { min = {0, 0, 0.4}, max = {0.2, 0.2, 0.5} }, rate = 100, every = 0.05,
         grains = { { size = sizes{ "uniform", min = 0.02, max = 0.03 }, material = "sand" },
                    { shape = capsule{ radius = 0.01, length = 0.03 }, material = "sand" } } }
outlet{ region = { min = {-1, -1, -1}, max = {0.1, 1, 0.1} } }
sensor{ name = "floor", body = "ground", quantity = "force" }
output{ paraview = "none", contacts_every = 20 }
"""

EVERY = ("--trajectory-every", "20", "--contacts-every", "20")
# scene, its end (s), steps between frames; a scene of the library or a text
SCENES = {
    "chain": ("chain", "0.2", EVERY),
    "kapla": ("kapla_tower", "0.2", ("--trajectory-every", "5", "--contacts-every", "5")),
    "capsules": ("capsules", "0.5", ("--trajectory-every", "10", "--contacts-every", "10")),
    "mixer": ("mixer", "0.12", ("--trajectory-every", "40", "--contacts-every", "40")),
    "mesh_hopper": ("mesh_hopper", "0.004", EVERY),
    "pour": (POUR, "0.8", EVERY),
}

VISIT = """
const {run} = cairnReplay, found = [];
run.visit(arguments[0], (n, x, y, z, r) => found.push([n, x, y, z, ...r]));
return [found, run.about.scale];
"""
CONTACTS = """
const {contacts} = cairnReplay.run.frames[arguments[0]];
return contacts && {a: [...contacts.a], b: [...contacts.b], point: [...contacts.point], force: [...contacts.force],
                    status: [...contacts.status], total: contacts.total};
"""
CHOOSE = "const e = document.getElementById(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('change'))"
SCREEN = """
const a = cairnReplay, v = a.stage.camera.position.clone();
let at = null;
a.run.visit(a.time(), (n, x, y, z) => { if (n === arguments[0]) at = v.clone().set(x, y, z); });
at.project(a.stage.camera);
const box = document.getElementById('picture').getBoundingClientRect();
return [box.left + (at.x + 1) / 2 * box.width, box.top + (1 - at.y) / 2 * box.height];
"""


def open_page(browser, path):
    """Opens a page and waits until all of it is there."""
    browser.requests()
    browser.command("Performance.disable")
    browser.command("Performance.enable", timeDomain="threadTicks")
    browser.open(path)
    browser.wait("return document.documentElement.dataset.state === 'complete' && cairnReplay.stage.pictures > 0")
    asked = [address for address in browser.requests() if not address.startswith(("chrome:", "data:", "blob:"))]
    check(asked == ["file://" + path], f"{path}: asks for nothing but itself: {asked[:5]}")
    said = browser.said()
    check(said == [], f"{path}: the page complains of nothing: {said}")


def work(browser):
    """CPU seconds of the page's thread."""
    metrics = browser.command("Performance.getMetrics")["metrics"]
    return next(each["value"] for each in metrics if each["name"] == "TaskDuration")


def colours(browser):
    """(number of colours, hash) of the picture, drawn once more; a canvas is read in the frame it is drawn in."""
    return browser.run("""
        const {stage} = cairnReplay, canvas = document.createElement('canvas');
        stage.draw();
        [canvas.width, canvas.height] = [320, 200];
        const pen = canvas.getContext('2d');
        pen.drawImage(stage.canvas, 0, 0, 320, 200);
        const data = new Uint32Array(pen.getImageData(0, 0, 320, 200).data.buffer);
        return [new Set(data).size, data.reduce((sum, each) => (Math.imul(sum, 31) + each) | 0, 0)];""")


def keep(browser, name):
    if PICTURES:
        browser.picture(os.path.join(PICTURES, name + ".png"))


# ---------------------------------------------------------------- what the page shows is what the run holds

def rows_of(file, frame):
    """(numbers, rows) of a frame."""
    if "body" not in file:
        count = file["position"].shape[1]
        return numpy.arange(count), (frame, slice(None))
    rows = slice(file["body_first"][frame], file["body_first"][frame] + file["body_count"][frame])
    return file["body"][rows], rows


def check_frames(browser, trajectory, name):
    with h5py.File(trajectory) as file:
        times = file["time"][:]
        for frame in (0, len(times) // 2, len(times) - 1):
            numbers, rows = rows_of(file, frame)
            found, scale = browser.run(VISIT, times[frame])
            found = numpy.array(sorted(found))
            order = numpy.argsort(numbers)
            check(numpy.array_equal(found[:, 0], numbers[order]), f"{name}: bodies of frame {frame}")
            error = abs(found[:, 1:4] + scale["origin"] - file["position"][rows][order]).max()
            size = abs(found[:, 1:4]).max()
            check(error <= 0.51 * scale["length"] + 1e-6 * size, f"{name}: positions of frame {frame}: {error}")
            check_orientations(found[:, 4:], file["orientation_wxyz"][rows][order], scale["turn"], name)
            check_contacts(browser, file, frame, scale, name)


def check_orientations(matrices, quaternions, turn, name):
    w, x, y, z = quaternions.T
    wanted = numpy.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                          2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                          2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1)
    # a ball's orientation cannot be seen and is left out
    turned = abs(matrices - numpy.eye(3).reshape(-1)).max(axis=1) > 0
    error = abs(matrices - wanted)[turned].max(initial=0.0)
    check(error < 12.0 / turn, f"{name}: orientations: {error}")


def check_contacts(browser, file, frame, scale, name):
    found = browser.run(CONTACTS, frame)
    count = file["contact_count"][frame]
    check((found is None) == (count < 0), f"{name}: frame {frame} keeps its contacts or not")
    if found is None or count == 0:
        return
    check(found["total"] == file["contacts"][frame], f"{name}: number of contacts")
    rows = slice(file["contact_first"][frame], file["contact_first"][frame] + count)
    force = file["contact_force"][rows]
    if count > len(found["a"]):
        keep_rows = numpy.argsort(-numpy.linalg.norm(force, axis=1), kind="stable")[:len(found["a"])]
        rows = file["contact_first"][frame] + numpy.sort(keep_rows)
        force = file["contact_force"][rows]
    check(numpy.array_equal(numpy.stack([found["a"], found["b"]], axis=1), file["contact_bodies"][rows]),
          f"{name}: bodies of contacts")
    check(numpy.array_equal(found["status"], file["contact_status"][rows]), f"{name}: status of contacts")
    point = numpy.reshape(found["point"], (-1, 3)) + scale["origin"]
    error = abs(point - file["contact_point"][rows]).max()
    check(error <= 0.51 * scale["length"] + 1e-6 * abs(point).max(), f"{name}: points of contacts: {error}")
    largest = scale["force"]
    error = abs(numpy.reshape(found["force"], (-1, 3)) - force) / numpy.sqrt(largest * abs(force) + 1e-6 * largest ** 2)
    check(error.max() < 2.0 / scale["force_most"], f"{name}: forces: {error.max()}")


def check_controls(browser, name):
    """Slider, keys, play, colours, contacts and picking do what they say."""
    blank, first = colours(browser)
    check(blank > 100, f"{name}: there is something in the picture: {blank} colours")
    browser.run("const e = document.getElementById('time'); e.value = e.max; e.dispatchEvent(new Event('input'))")
    check(browser.run("return Math.abs(cairnReplay.time() / cairnReplay.run.end - 1) < 1e-9"),
          f"{name}: the slider sets the time")
    browser.key("Home")
    check(browser.run("return cairnReplay.time() === cairnReplay.run.start"), f"{name}: the key Home")
    browser.key("ArrowRight")
    check(browser.run("return cairnReplay.time() === cairnReplay.run.times[1]"), f"{name}: the key to the right")
    browser.run("document.getElementById('play').click()")
    browser.wait("return cairnReplay.time() > cairnReplay.run.times[1]")
    browser.run("cairnReplay.player.pause()")

    most = browser.run("""
        const {run} = cairnReplay, counts = run.frames.map((frame) => frame.contacts?.count ?? -1);
        const most = Math.max(...counts);
        cairnReplay.seek(run.times[counts.indexOf(most)]);
        return most;""")
    check(most > 0, f"{name}: a frame has contacts")
    _, plain = colours(browser)
    for quantity in ("speed", "height", "mass", "material", "force"):
        browser.run(CHOOSE, "colours", quantity)
        check(colours(browser)[1] != plain, f"{name}: colours by {quantity}")
    check(browser.run("return document.getElementById('ramp-ends').textContent").endswith("N"), f"{name}: the legend")
    browser.run(CHOOSE, "colours", "body")
    for mode in ("forces", "chains"):
        browser.run(CHOOSE, "contacts", mode)
        check(colours(browser)[1] != plain, f"{name}: contacts as {mode}")
        check(browser.run("return cairnReplay.contacts.mesh.visible && cairnReplay.contacts.mesh.count > 0"),
              f"{name}: {mode} are there")
        keep(browser, f"{name}_{mode}")
    browser.run(CHOOSE, "contacts", "off")
    check(browser.run("return document.getElementById('plots').options.length") >= 1, f"{name}: there are plots")
    check_picking(browser, name)


def check_picking(browser, name):
    """A click on where a body is seen picks the nearest one there."""
    browser.run(CHOOSE, "walls", "auto")
    number = browser.run("""
        const a = cairnReplay, {position} = a.stage.camera;
        let best = -1, least = Infinity;
        a.run.visit(a.time(), (n, x, y, z) => {
          const far = Math.hypot(x - position.x, y - position.y, z - position.z);
          const shape = a.run.model.bodies[n].shape;
          if (a.run.model.bodies[n].kind === 0 && shape.parts.length !== 15 && far < least) [best, least] = [n, far];
        });
        return best;""")
    x, y = browser.run(SCREEN, number)
    browser.click(x, y)
    picked = browser.run("return cairnReplay.bodies.selected")
    if name != "chain":  # the middle of a link is empty
        check(picked == number, f"{name}: a click picks {picked}, not {number}")
    else:
        browser.run("cairnReplay.choose(arguments[0])", number)
    facts = browser.run("return document.getElementById('body-facts').textContent")
    check("kg" in facts and "m/s" in facts, f"{name}: facts of the body: {facts}")
    keep(browser, f"{name}_picked")
    browser.key("Escape")
    check(browser.run("return cairnReplay.bodies.selected") == -1, f"{name}: escape unpicks")


def check_scene(browser, folder, name):
    scene, until, every = SCENES[name]
    if "\n" in scene:
        scene = folder.write(name + ".lua", scene)
    run = folder.cairn("run", scene, "--until", until, *every, "--quiet", "--out", name, timeout=600)
    check(run.status == 0, f"{name}: the run", run)
    made = folder.cairn("export", name, "-o", name + ".html", "--json")
    check(made.status == 0 and json.loads(made.out)["kind"] == "export", f"{name}: the page", made)
    path = os.path.join(os.path.realpath(folder.path), name + ".html")
    open_page(browser, path)
    wall, worked = browser.run("return cairnReplay.stage.firstPicture") / 1e3, work(browser)
    print(f"{name}: {os.path.getsize(path) / 1e6:.2f} MB, first picture after {wall:.1f} s, {worked:.1f} s of work")
    check(worked < 3.0, f"{name}: the first picture takes less than 3 s of work: {worked}")
    keep(browser, name)
    check_frames(browser, os.path.join(path[:-5], "trajectory.h5"), name)
    check_controls(browser, name)


# ---------------------------------------------------------------- strangers

BAD = "</script><script>window.hit=1</script><img src=x onerror=\"window.hit=2\"><!--"
STRANGE = f"""
title '{BAD}'
simulation{{ step = 1e-3, end_time = 0.05 }}
material{{ name = '{BAD}m', density = 2000 }}
pair{{ friction = 0.4 }}
ground{{ material = '{BAD}m' }}
body{{ name = '{BAD}b', shape = sphere{{ radius = 0.1 }}, material = '{BAD}m', position = {{0, 0, 0.1}} }}
sensor{{ name = "place", body = '{BAD}b', quantity = "position" }}
output{{ paraview = "none" }}
"""


def check_strangers(browser, folder):
    """Names with HTML and script are texts, and the page's own rules would stop them besides."""
    folder.write("strange.lua", STRANGE)
    run = folder.cairn("run", "strange.lua", "--quiet", "--trajectory-every", "10", "--out", "strange")
    check(run.status == 0, "the stranger's run", run)
    with h5py.File(os.path.join(folder.path, "strange/trajectory.h5"), "r+") as file:
        file.attrs["scene"] = BAD + "&quot;'"
        file.attrs["command"] = BAD
    for name, heading in (("energy", "kinetic [J]"), ("sensors", "place position x [m]")):
        table = folder.read(f"strange/{name}.csv")
        check(heading in table, f"a heading of {name}.csv")
        folder.write(f"strange/{name}.csv", table.replace(heading, BAD.replace('"', "'") + heading))
    made = folder.cairn("export", "strange", "-o", "strange.html")
    check(made.status == 0, "the stranger's page", made)
    text = folder.read("strange.html")
    check("window.hit" not in text and text.count("</script>") == text.count("<script"), "nothing of it is in the page")
    path = os.path.join(os.path.realpath(folder.path), "strange.html")
    open_page(browser, path)
    browser.run("cairnReplay.choose(1)")
    browser.run(CHOOSE, "colours", "material")
    check(browser.run("return document.getElementById('title').textContent") == BAD, "the title is a text")
    check(browser.run("return document.getElementById('body-name').textContent") == BAD + "b", "the name is a text")
    check(BAD + "m" in browser.run("return document.getElementById('names').textContent"), "a material is a text")
    browser.run(CHOOSE, "plots", "0")
    check(BAD.replace('"', "'") in browser.run("return document.getElementById('plot-legend').textContent"),
          "a heading is a text")
    check(BAD.replace('"', "'") in browser.run("return document.getElementById('plots').textContent"),
          "a sensor is a text")
    check(browser.run("return window.hit === undefined && document.images.length === 0"), "no script of it ran")
    keep(browser, "strange")
    refused = browser.run("""
        const found = [];
        const attempt = (act) => { try { act(); } catch (error) { found.push(error.name); } };
        attempt(() => { document.body.innerHTML = '<img src=x onerror="window.hit=3">'; });
        attempt(() => { const s = document.createElement('script'); s.textContent = 'window.hit=4'; document.body.append(s); });
        attempt(() => { const s = document.createElement('script'); s.append('window.hit=5'); document.body.append(s); });
        return found;""")
    check(refused == ["TypeError", "TypeError"], f"the page's rules refuse text that becomes its part: {refused}")
    check(browser.run("return new Promise((then) => setTimeout(() => then(window.hit === undefined), 200))"),
          "a script that is put in does not run")
    came = browser.run("return fetch('data:,x').then(() => 'came', () => 'refused')")
    check(came == "refused", f"the page may fetch nothing: {came}")


# ---------------------------------------------------------------- many bodies

MANY = """
title "ten thousand boxes"
simulation{ step = 1 / 100, end_time = 2.99 }
material{ name = "stone", density = 2000 }
local b = box{ size = {0.1, 0.08, 0.06} }
for i = 0, 9999 do
  body{ shape = b, position = {(i % 25) * 0.2, (i // 25 % 20) * 0.2, (i // 500) * 0.2} }
end
output{ paraview = "none", energy_every = 50 }
"""


def agitate(path):
    """All of the bodies fly, spin, and hit something every ten frames: what packs worst."""
    rng = numpy.random.default_rng(1)
    step = 0.01
    with h5py.File(path, "r+") as file:
        frames, bodies = file["position"].shape[:2]
        p, q = file["position"][0], file["orientation_wxyz"][0]
        low, high = p.min(0), p.max(0)
        v, w = rng.normal(0, 1, (bodies, 3)), rng.normal(0, 3, (bodies, 3))
        for frame in range(frames):
            for name, rows in (("position", p), ("velocity", v), ("orientation_wxyz", q), ("angular_velocity", w)):
                file[name][frame] = rows
            hit = rng.random(bodies) < 0.1
            v[hit], w[hit] = rng.normal(0, 1, (hit.sum(), 3)), rng.normal(0, 3, (hit.sum(), 3))
            v[((p < low) & (v < 0)) | ((p > high) & (v > 0))] *= -0.8
            p = p + step * v
            q = q + 0.5 * step * numpy.stack([-(w * q[:, 1:]).sum(1), *(q[:, :1] * w + numpy.cross(w, q[:, 1:])).T], 1)
            q /= numpy.linalg.norm(q, axis=1, keepdims=True)


def check_many(browser, folder):
    folder.write("many.lua", MANY)
    run = folder.cairn("run", "many.lua", "--quiet", "--trajectory-every", "1", "--out", "many", timeout=600)
    check(run.status == 0, "the run of many", run)
    agitate(os.path.join(folder.path, "many/trajectory.h5"))
    made = folder.cairn("export", "many", "-o", "many.html", "--json", timeout=600)
    check(made.status == 0, "the page of many", made)
    told = json.loads(made.out)
    check(told["frames"] == 300 and told["bodies"] == 10000 and told["bytes"] < 30e6, f"300 frames below 30 MB: {told}")
    path = os.path.join(os.path.realpath(folder.path), "many.html")
    browser.command("Performance.disable")
    browser.command("Performance.enable", timeDomain="threadTicks")
    browser.open(path)
    browser.wait("return window.cairnReplay && cairnReplay.stage.firstPicture", 120)
    print(f"many: {told['bytes'] / 1e6:.1f} MB, first picture after "
          f"{browser.run('return cairnReplay.stage.firstPicture') / 1e3:.1f} s, {work(browser):.1f} s of work")
    check(work(browser) < 3.0, f"the first picture of many takes less than 3 s of work: {work(browser)}")
    browser.wait("return document.documentElement.dataset.state === 'complete'", 300)
    with h5py.File(os.path.join(folder.path, "many/trajectory.h5")) as file:
        time = file["time"][299]
        found, scale = browser.run(VISIT, time)
        found = numpy.array(sorted(found))
        error = abs(found[:, 1:4] + scale["origin"] - file["position"][299]).max()
        check(error < 0.51 * scale["length"] + 1e-5, f"positions of the last frame of many: {error}")
        check_orientations(found[:, 4:], file["orientation_wxyz"][299], scale["turn"], "many")
    check(colours(browser)[0] > 100, "many are in the picture")
    keep(browser, "many")


# ---------------------------------------------------------------- small and dark

def check_phone(path):
    with Browser(400, 800, touch=True, dark=True) as browser:
        open_page(browser, path)
        check(browser.run("return document.documentElement.dataset.theme") == "dark", "dark where that is wished for")
        check(browser.run("return getComputedStyle(document.getElementById('panel')).display") == "none",
              "the panel is closed at first on a phone")
        before = browser.run("return cairnReplay.stage.camera.position.toArray()")
        browser.touch_drag([((200, 350), (280, 350))])
        turned = browser.run("return cairnReplay.stage.camera.position.toArray()")
        check(not numpy.allclose(before, turned), "a finger turns the picture")
        browser.touch_drag([((170, 350), (60, 350)), ((230, 350), (340, 350))])
        nearer = browser.run("return cairnReplay.stage.camera.position.distanceTo(cairnReplay.stage.controls.target)")
        middle = browser.run("return cairnReplay.stage.controls.target.toArray()")
        check(nearer < 0.95 * numpy.linalg.norm(numpy.subtract(turned, middle)), "two fingers come nearer")
        keep(browser, "phone")
        browser.run("document.getElementById('menu').click()")
        wide = browser.run("""return ['panel', 'bar', 'tools', 'head'].map((id) => {
            const box = document.getElementById(id).getBoundingClientRect();
            return [box.left >= 0 && box.right <= innerWidth && box.bottom <= innerHeight, box.width]; });""")
        check(all(inside for inside, _ in wide), f"all of it is on the screen: {wide}")
        keep(browser, "phone_panel")


def main():
    reason = missing()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    with Folder() as folder:
        with Browser(960, 600) as browser:
            for name in SCENES:
                check_scene(browser, folder, name)
            check_strangers(browser, folder)
            check_many(browser, folder)
        check_phone(os.path.join(os.path.realpath(folder.path), "capsules.html"))
    finish()


main()
