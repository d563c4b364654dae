// SPDX-License-Identifier: Apache-2.0
// The panel: what is chosen in it, and what it says of colours, contacts and the picked body.
import { paletteCss, QUANTITIES, SCALE_CSS } from './colour.js';
import { Plot, show } from './plot.js';
import { bodyPlots, tablePlots } from './plots.js';

const KINDS = ['dynamic', 'fixed', 'moving'];

export const get = (id) => document.getElementById(id);

/** Texts of a run are only ever texts: they may hold anything. */
function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function setOptions(select, entries, chosen) {
  select.replaceChildren(
    ...entries.map(([value, text]) => {
      const option = element('option', text);
      option.value = value;
      return option;
    }),
  );
  if (chosen !== undefined) select.value = chosen;
}

export class Panel {
  /** @param app  {run, colouring, bodies, contacts, stage, seek, change} */
  constructor(app) {
    this.app = app;
    this.plot = new Plot(get('plot'), get('plot-legend'), app.seek);
    this.tables = tablePlots(app.run);
    this.chosen = 0;
    const quantities = Object.entries(QUANTITIES).filter(
      ([, each]) => !each.contacts || app.run.about.contacts,
    );
    setOptions(get('colours'), quantities.map(([name, each]) => [name, each.label.toLowerCase()]), 'body');
    get('ramp').style.background = SCALE_CSS;
    this.listen();
    this.setPlots();
    this.showColours();
    this.showContacts();
    get('walls').closest('label').hidden = !app.run.model.bodies.some((body) => body.holds);
  }

  listen() {
    const { app } = this;
    get('colours').addEventListener('change', () => this.chooseColours());
    get('contacts').addEventListener('change', () => this.chooseContacts());
    get('force-scale').addEventListener('input', (event) => {
      app.contacts.scale = 10 ** Number(event.target.value);
      app.change();
    });
    get('walls').addEventListener('change', (event) => {
      app.bodies.walls = event.target.value;
      app.change();
    });
    get('ground').addEventListener('change', (event) => {
      app.stage.ground.visible = event.target.checked;
      app.change();
    });
    get('shadows').addEventListener('change', (event) => app.stage.setShadows(event.target.checked));
    get('plots').addEventListener('change', (event) => {
      this.chosen = Number(event.target.value);
      this.setCurves();
    });
    get('unpick').addEventListener('click', () => app.choose(-1));
  }

  chooseColours() {
    this.app.colouring.choose(get('colours').value);
    this.showColours();
    this.app.change();
  }

  chooseContacts() {
    const { bodies, contacts } = this.app;
    contacts.mode = get('contacts').value;
    bodies.ghosts = contacts.mode !== 'off';
    this.showContacts();
    this.app.change();
  }

  /** A scale for a quantity, names for materials. */
  showColours() {
    const { colouring, run } = this.app;
    get('legend').hidden = !colouring.range;
    get('names').hidden = colouring.name !== 'material';
    if (colouring.range) {
      const { unit } = colouring.quantity;
      const [low, high] = get('ramp-ends').children;
      low.textContent = `${show(colouring.range[0])} ${unit}`;
      high.textContent = `${show(colouring.range[1])} ${unit}`;
    }
    if (colouring.name !== 'material') return;
    get('names').replaceChildren(
      ...run.about.materials.map((name, i) => {
        const item = element('li', name);
        const dot = document.createElement('i');
        dot.style.background = paletteCss(i);
        item.prepend(dot);
        return item;
      }),
    );
  }

  showContacts() {
    const { contacts, run } = this.app;
    get('contacts').disabled = !run.about.contacts;
    get('force-scale').parentElement.hidden = contacts.mode === 'off';
    let note = '';
    if (!run.about.contacts) note = 'This run kept no contacts (cairn run --contacts-every).';
    else if (contacts.mode !== 'off') note = this.contactNote();
    get('contact-note').textContent = note;
  }

  contactNote() {
    const { contacts } = this.app;
    const found = contacts.at(this.app.time());
    if (!found) return 'This frame keeps no contacts.';
    let most = 0;
    for (let i = 0; i < found.count; i++)
      most = Math.max(most, Math.hypot(...found.force.subarray(3 * i, 3 * i + 3)));
    const some = found.count < found.total ? `the strongest ${found.count} of ` : '';
    const colours = contacts.mode === 'forces' ? ' Green sticks, red slides.' : '';
    return `${some}${found.total} contacts, up to ${show(most)} N.${colours}`;
  }

  // ------------------------------------------------------------ plots

  setPlots() {
    const { run } = this.app;
    const picked = this.app.bodies.selected;
    this.plots = picked < 0 ? this.tables : [...this.tables, ...bodyPlots(run, picked)];
    if (this.chosen >= this.plots.length) this.chosen = 0;
    get('plot-part').hidden = this.plots.length === 0;
    setOptions(get('plots'), this.plots.map((each, i) => [i, each.label]), this.chosen);
    this.setCurves();
  }

  setCurves() {
    const plot = this.plots[this.chosen];
    if (plot) this.plot.setCurves(plot.curves, plot.unit);
  }

  // ------------------------------------------------------------ the picked body

  setBody() {
    const { bodies, run } = this.app;
    const n = bodies.selected;
    get('about-body').hidden = n < 0;
    if (n >= 0) {
      const body = run.model.bodies[n];
      get('body-name').textContent = body.name || `body ${n}`;
      this.chosen = this.tables.length;
    }
    this.setPlots();
    this.showBody();
  }

  showBody() {
    const { bodies, run } = this.app;
    const n = bodies.selected;
    if (n < 0) return;
    const body = run.model.bodies[n];
    const facts = [
      ['number', String(n)],
      ['kind', KINDS[body.kind]],
      ['material', run.about.materials[body.material] ?? ''],
      ['mass', Number.isFinite(body.mass) ? `${show(body.mass)} kg` : 'not moved by forces'],
    ];
    const frame = run.frames[run.frameAt(this.app.time())];
    const row = run.row(frame, n);
    if (row < 0) facts.push(['', 'is not there at this time']);
    else {
      const { position: p, velocity: v } = frame;
      const { origin } = run.about.scale;
      const axes = [0, 1, 2];
      facts.push(['position', `${axes.map((c) => show(p[3 * row + c] + origin[c])).join(', ')} m`]);
      facts.push(['velocity', `${axes.map((c) => show(v[3 * row + c])).join(', ')} m/s`]);
      facts.push(['speed', `${show(run.speed(frame, row))} m/s`]);
    }
    get('body-facts').replaceChildren(
      ...facts.flatMap(([name, text]) => [element('dt', name), element('dd', text)]),
    );
  }

  setTime(time) {
    this.plot.setTime(time);
    this.showBody();
    if (this.app.contacts.mode !== 'off') this.showContacts();
  }
}

