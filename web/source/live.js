// SPDX-License-Identifier: Apache-2.0
// A page in which scenes run: the worker steps them, and what comes is shown as a replay is.
import { App, tell } from './app.js';
import { findBlocks, readBlock } from './blocks.js';
import { LiveRun } from './live_run.js';
import { get } from './panel.js';

const FRAMES = 300;
const PATH = '/scenes/scene.lua';

async function readText(name) {
  return new TextDecoder().decode(await readBlock(findBlocks(name)[0]));
}

/** A worker from text that stands in the page; nothing else becomes one. */
function makeWorker(program) {
  const address = URL.createObjectURL(new Blob([program], { type: 'text/javascript' }));
  const rules = window.trustedTypes?.createPolicy('cairn-worker', {
    createScriptURL: (url) => (url === address ? url : ''),
  });
  return new Worker(rules ? rules.createScriptURL(address) : address);
}

function element(name, text = '') {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

class Live {
  /** @param files  of the worker's folder; scenes  [{name, path, hashes}], of which a page has five */
  constructor(worker, files, scenes) {
    this.worker = worker;
    this.files = files;
    this.scenes = scenes;
    this.body = document.body.cloneNode(true);
    this.body.querySelector('#scene').remove();
    this.app = null;
    this.values = new Map();
    this.worker.onmessage = ({ data }) => this[data.kind](data);
    get('scenes').replaceChildren(...scenes.map(({ name }) => element('option', name)));
    get('scenes').addEventListener('change', () => this.choose(get('scenes').value));
    get('run').addEventListener('click', () => this.run());
    get('stop').addEventListener('click', () => this.stop());
    get('law').addEventListener('change', () => this.run());
    get('parameters').addEventListener('change', () => this.run());
    for (const table of ['energy', 'sensors']) get(`csv-${table}`).addEventListener('click', () => this.download(table));
    get('program').addEventListener('input', () => this.values.clear());
  }

  ready() {
    const wanted = new URLSearchParams(location.hash.slice(1)).get('scene');
    this.choose(this.scenes.some(({ name }) => name === wanted) ? wanted : this.scenes[0].name);
  }

  choose(name) {
    this.scene = this.scenes.find((scene) => scene.name === name);
    get('scenes').value = name;
    get('program').value = this.files.find(({ path }) => path === this.scene.path).text;
    get('law').value = '';
    this.values.clear();
    this.run();
  }

  /** The scene as the page holds it, of which the hash of another machine is known. */
  get untouched() {
    const { text } = this.files.find(({ path }) => path === this.scene.path);
    return this.values.size === 0 && get('law').value === '' && get('program').value === text;
  }

  run() {
    tell('');
    for (const input of get('parameters').querySelectorAll('[data-name]')) {
      const value = input.type === 'checkbox' ? String(input.checked) : input.value;
      if (value !== input.dataset.initial) this.values.set(input.dataset.name, value);
      else this.values.delete(input.dataset.name);
    }
    this.expected = this.untouched ? this.scene.hash : null;
    get('hash').textContent = '';
    delete get('hash-note').dataset.same;
    get('hash-note').textContent = this.expected ? '' : 'The scene was changed: there is no hash to compare with.';
    document.documentElement.dataset.state = 'running';
    const parameters = [...this.values].map(([name, value]) => `${name}=${value}`).join('\n');
    this.worker.postMessage({ kind: 'write', path: PATH, text: get('program').value });
    this.worker.postMessage({
      kind: 'open', path: PATH, parameters, law: get('law').value, frames: FRAMES, check: this.scene.steps,
    });
  }

  stop() {
    this.worker.postMessage({ kind: 'stop' });
    this.over();
  }

  // ------------------------------------------------------------ what the worker says

  opened(data) {
    this.showParameters(data.about.parameters);
    this.made = new LiveRun(data);
    this.app?.dispose();
    this.app = null;
  }

  /** The page as it was before the first run, for the next one. */
  show() {
    const scene = get('scene');
    const body = this.body.cloneNode(true);
    scene.remove();
    document.body.replaceWith(body);
    body.append(scene);
    this.app = new App(this.made);
    this.app.openPanel(false);
    window.cairnReplay = this.app;
    tell('');
    this.app.player.play();
  }

  frame(data) {
    if (data.model) {
      // other bodies: what came before had other numbers
      this.made = new LiveRun({ about: this.made.about, model: data.model });
      this.app?.dispose();
      this.app = null;
    }
    this.made.take(data);
    if (!this.app) this.show();
    else if (this.made.frames.length % 20 === 0) this.app.complete();
    get('hash').textContent = `state ${data.hash} after ${data.steps} steps`;
    if (this.expected && data.steps === this.scene.steps) this.compare(data);
  }

  compare({ hash, steps }) {
    const same = hash === this.expected;
    get('hash-note').textContent = same
      ? `After ${steps} steps: ${hash}, here and on x86-64.`
      : `After ${steps} steps: ${hash} here, ${this.expected} on x86-64.`;
    get('hash-note').dataset.same = String(same);
  }

  over() {
    this.made.over = true;
    document.documentElement.dataset.state = 'complete';
    this.app?.complete();
  }

  failed({ text }) {
    document.documentElement.dataset.state = 'failed';
    tell(text);
  }

  // ------------------------------------------------------------ what the scene takes and gives

  showParameters(parameters) {
    if (get('parameters').contains(document.activeElement)) return;
    get('parameters').replaceChildren(
      ...parameters.map((parameter) => {
        const row = element('label', parameter.name);
        const input = inputOf(parameter);
        input.dataset.name = parameter.name;
        input.dataset.initial = String(parameter.initial);
        row.title = parameter.help;
        row.append(input);
        if (input.type === 'range') {
          const shown = element('output', input.value);
          input.addEventListener('input', () => (shown.textContent = input.value));
          row.append(shown);
        }
        return row;
      }),
    );
  }

  download(table) {
    const link = element('a');
    link.href = URL.createObjectURL(new Blob([this.made.csv(table)], { type: 'text/csv' }));
    link.download = `${this.scene.name}_${table}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

/** A slider for a number with a range, a box for a truth, a field for the rest. */
function inputOf({ value, initial, minimum, maximum, whole }) {
  const input = document.createElement('input');
  if (typeof value === 'boolean') {
    input.type = 'checkbox';
    input.checked = value;
    return input;
  }
  if (typeof value === 'number') {
    input.type = 'range';
    // as far as three times what the scene has, and a range around nothing
    const far = initial === 0 ? Infinity : 3 * Math.abs(initial);
    const [least, most] = [Math.max(minimum ?? -Infinity, -far), Math.min(maximum ?? Infinity, far)];
    input.min = Number.isFinite(least) ? least : -1;
    input.max = Number.isFinite(most) ? most : 1;
    input.step = whole ? 1 : 'any';
  }
  input.value = value;
  return input;
}

async function start() {
  const files = JSON.parse(await readText('files'));
  const scenes = JSON.parse(await readText('scenes'));
  const worker = makeWorker(await readText('worker'));
  const wasm = await readBlock(findBlocks('wasm')[0]);
  window.cairnLive = new Live(worker, files, scenes);
  worker.postMessage({ kind: 'start', wasm, files });
}

start().catch((error) => {
  console.error(error);
  tell(`The page cannot run: ${error.message}`);
});
