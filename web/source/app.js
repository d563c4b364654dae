// SPDX-License-Identifier: Apache-2.0
// A run in the page: picture, panel and bar of time, and what their buttons and keys do.
import { Box3, Quaternion, Vector3 } from 'three';
import { Bodies } from './bodies.js';
import { Colouring } from './colour.js';
import { Contacts } from './contacts.js';
import { DYNAMIC } from './model.js';
import { get, Panel } from './panel.js';
import { pick } from './pick.js';
import { Player } from './player.js';
import { boxAround, Stage } from './stage.js';

// px, as in page.css: up to here the panel is a sheet below
const PHONE = 700;

// px: in a frame that is lower, as in a notebook, the panel is closed at first
const LOW = 560;

/** Where bodies are at a time: those that move, or all where none does. */
function findBox(run, time) {
  const some = { points: [], radii: [] };
  const holders = new Box3();
  const all = { points: [], radii: [] };
  run.visit(time, (n, x, y, z) => {
    const body = run.model.bodies[n];
    const { radius } = body.shape;
    const point = new Vector3(x, y, z);
    if (radius === 0) return;
    all.points.push(point);
    all.radii.push(radius);
    if (body.kind === DYNAMIC) {
      some.points.push(point);
      some.radii.push(radius);
    }
  });
  return some.points.length > 0 ? boxAround(some.points, some.radii) : boxAround(all.points, all.radii);
}

/** What holds the others belongs to the picture, if it is not far larger than they spread. */
function addHolders(run, time, box) {
  const size = box.getSize(new Vector3()).length();
  run.visit(time, (n, x, y, z, r) => {
    const body = run.model.bodies[n];
    if (body.kind === DYNAMIC || body.shape.radius === 0) return;
    const own = boundsOf(run, body, x, y, z, r);
    const grown = box.clone().union(own);
    if (grown.getSize(new Vector3()).length() < 2.5 * size) box.copy(grown);
  });
}

/** Box of a body's parts, by the corners of their geometries. */
function boundsOf(run, body, x, y, z, r) {
  const box = new Box3();
  for (const part of body.shape.parts) {
    const geometry = (part.geometry ??= run.model.geometry(part.mesh, 1));
    geometry.boundingBox ?? geometry.computeBoundingBox();
    const { min, max } = geometry.boundingBox;
    for (let corner = 0; corner < 8; corner++) {
      const p = [corner & 1 ? max.x : min.x, corner & 2 ? max.y : min.y, corner & 4 ? max.z : min.z];
      const m = part.matrix;
      const at = [0, 4, 8].map((o) => m[o] * p[0] + m[o + 1] * p[1] + m[o + 2] * p[2] + m[o + 3]);
      box.expandByPoint(
        new Vector3(
          x + r[0] * at[0] + r[1] * at[1] + r[2] * at[2],
          y + r[3] * at[0] + r[4] * at[1] + r[5] * at[2],
          z + r[6] * at[0] + r[7] * at[1] + r[8] * at[2],
        ),
      );
    }
  }
  return box;
}

export class App {
  constructor(run) {
    this.run = run;
    this.stage = new Stage(get('picture'));
    run.model.plain = this.stage.software;
    get('shadows').checked = !this.stage.software;
    this.colouring = new Colouring(run);
    this.bodies = new Bodies(run, this.colouring);
    this.contacts = new Contacts(run);
    this.stage.scene.add(this.bodies.group, this.contacts.group);
    this.changed = true;
    this.stage.before = () => this.update();
    this.seek = (time) => {
      this.player.pause();
      this.player.seek(time);
    };
    this.findFloors();
    this.makeGround();
    const shown = (time) => {
      this.panel?.setTime(time);
      this.change();
    };
    this.player = new Player(run, shown, (taken) => this.stage.watch(taken));
    this.panel = new Panel(this);
    this.describe();
    this.setTheme(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    this.openPanel(innerWidth > PHONE && innerHeight > LOW);
    this.fit();
    this.listen();
    this.player.seek(run.start);
  }

  time() {
    return this.player.time;
  }

  describe() {
    const { about } = this.run;
    const title = about.title || about.scene || 'A run of cairn';
    document.title = title;
    get('title').textContent = title;
    const frames = about.times.length === 1 ? '1 frame' : `${about.times.length} frames`;
    get('subtitle').textContent = [
      about.title && about.scene ? about.scene : null,
      `${about.bodies} bodies`,
      frames,
      `cairn ${about.program}`,
    ].filter(Boolean).join(' · ');
  }

  /** A large fixed body below all that moves is a floor, which hides nothing. */
  findFloors() {
    const { run } = this;
    let lowest = Infinity;
    run.visit(run.start, (n, x, y, z) => {
      if (run.model.bodies[n].kind === DYNAMIC) lowest = Math.min(lowest, z);
    });
    run.visit(run.start, (n, x, y, z, r) => {
      const body = run.model.bodies[n];
      if (body.holds) body.floor = boundsOf(run, body, x, y, z, r).max.z <= lowest;
    });
  }

  /** The half-space that faces upwards most, else a plane below all bodies. */
  makeGround() {
    const { run, stage } = this;
    let best = null;
    let lowest = Infinity;
    run.visit(run.start, (n, x, y, z, r) => {
      const { shape } = run.model.bodies[n];
      if (shape.parts.some((part) => run.model.isPlane(part))) {
        if (!best || r[8] > best.up) best = { up: r[8], point: new Vector3(x, y, z), r: [...r] };
      } else lowest = Math.min(lowest, boundsOf(run, run.model.bodies[n], x, y, z, r).min.z);
    });
    if (best && best.up > 0.5) {
      const normal = new Vector3(best.r[2], best.r[5], best.r[8]);
      const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal);
      stage.setGround(turn, best.point);
    } else {
      const below = Number.isFinite(lowest) ? lowest - 0.02 * run.model.typical : 0;
      stage.setGround(new Quaternion(), new Vector3(0, 0, below));
    }
  }

  /** Lets the picture hold the bodies of the frames that have come. */
  fit() {
    const { run } = this;
    const times = run.times.slice(0, run.frames.length);
    const box = findBox(run, times[0]);
    for (const part of [0.5, 1]) box.union(findBox(run, times[Math.floor(part * (times.length - 1))]));
    addHolders(run, times[0], box);
    this.stage.frame(box, Math.max(4 * run.model.typical, box.getSize(new Vector3()).length() / 14));
  }

  setTheme(name) {
    document.documentElement.dataset.theme = name;
    this.stage.setTheme(name);
    this.panel?.plot.draw();
  }

  change() {
    this.changed = true;
    this.stage.ask();
  }

  update() {
    if (!this.changed) return;
    this.changed = false;
    this.bodies.update(this.player.time);
    this.contacts.update(this.player.time);
  }

  choose(number) {
    this.bodies.selected = number;
    this.panel.setBody();
    if (number >= 0) this.openPanel(true);
    this.change();
  }

  /** @param x, y  pixels of the page */
  pickAt(x, y) {
    const { left, top, width, height } = get('picture').getBoundingClientRect();
    const across = (2 * (x - left)) / width - 1;
    const up = 1 - (2 * (y - top)) / height;
    this.choose(pick(this.stage, this.bodies, this.player.time, across, up));
  }

  listen() {
    const canvas = get('picture');
    let down = null;
    canvas.addEventListener('pointerdown', (event) => {
      down = event.isPrimary ? { x: event.clientX, y: event.clientY } : null;
      canvas.focus({ preventScroll: true });
    });
    canvas.addEventListener('pointerup', (event) => {
      if (down && Math.hypot(event.clientX - down.x, event.clientY - down.y) < 5)
        this.pickAt(event.clientX, event.clientY);
      down = null;
    });
    const lost = (event) => {
      event.preventDefault();
      tell('The graphics processor was taken away; reload the page.');
    };
    this.gone = new AbortController();
    canvas.addEventListener('webglcontextlost', lost, { signal: this.gone.signal });
    get('home').addEventListener('click', () => this.stage.home());
    get('theme').addEventListener('click', () => this.otherTheme());
    get('menu').addEventListener('click', () => this.togglePanel());
    get('help').addEventListener('click', () => get('keys').showModal());
    document.addEventListener('keydown', (event) => this.key(event), { signal: this.gone.signal });
  }

  /** Another run takes the page. */
  dispose() {
    this.player.pause();
    this.gone.abort();
    this.stage.renderer.dispose();
    this.stage.renderer.forceContextLoss();
  }

  otherTheme() {
    this.setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
  }

  togglePanel() {
    this.openPanel(!document.body.classList.contains('open'));
  }

  openPanel(open) {
    document.body.classList.toggle('open', open);
    get('menu').setAttribute('aria-expanded', String(open));
    this.stage.covered = open && innerWidth > PHONE ? get('panel').offsetWidth + 14 : 0;
    this.stage.resize();
    this.panel.plot.draw();
  }

  key(event) {
    const { player } = this;
    if (event.ctrlKey || event.metaKey || event.altKey || get('keys').open) return;
    // lists and sliders have keys of their own
    if (event.target.closest?.('select, textarea, input[type=range]') && event.key !== 'Escape') return;
    if (event.key === ' ' && event.target.closest?.('button, input')) return;
    const next = (id) => {
      const select = get(id);
      if (select.disabled) return;
      select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
      select.dispatchEvent(new Event('change'));
    };
    const keys = {
      ' ': () => player.toggle(),
      ArrowLeft: () => player.step(event.shiftKey ? -10 : -1),
      ArrowRight: () => player.step(event.shiftKey ? 10 : 1),
      Home: () => this.seek(this.run.start),
      End: () => this.seek(this.run.end),
      '+': () => player.faster(1),
      '-': () => player.faster(-1),
      c: () => next('colours'),
      f: () => next('contacts'),
      w: () => next('walls'),
      g: () => get('ground').click(),
      r: () => this.stage.home(),
      d: () => this.otherTheme(),
      p: () => this.togglePanel(),
      h: () => get('keys').showModal(),
      Escape: () => this.choose(-1),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  /** All frames have come: ranges and the picture are those of the whole run. */
  complete() {
    this.describe();
    this.colouring.choose(this.colouring.name);
    this.contacts.reference = 0;
    this.panel.showColours();
    if (!this.stage.touched && this.run.frames.length > 1) this.fit();
    this.player.seek(this.player.time);
  }
}

/** Says something in the middle of the page; nothing for an empty text. */
export function tell(text) {
  get('message').textContent = text;
  get('message').hidden = text === '';
}
