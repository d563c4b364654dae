// SPDX-License-Identifier: Apache-2.0
// The worker of a page in which scenes run: it stands behind what emscripten writes (createCairn)
// and steps a scene, frame by frame, between the messages of the page.
'use strict';

const SLICE = 0.03; // s of work between looks at the messages
const ENERGIES = 11;

let cairn = null; // the module
let run = null; // {step, last, every, check, next, sensors}; steps, but step is in s

const text = (name, types = [], words = []) => cairn.ccall(name, 'string', types, words);
const number = (name, types = [], words = []) => cairn.ccall(name, 'number', types, words);

/** Copies numbers out of the module's memory. */
const reals = (at, count) => cairn.HEAPF32.slice(at >> 2, (at >> 2) + count);
const wholes = (at, count) => cairn.HEAP32.slice(at >> 2, (at >> 2) + count);
const doubles = (at, count) => Array.from(cairn.HEAPF64.subarray(at >> 3, (at >> 3) + count));

function model() {
  const about = text('live_model');
  if (about === '') throw new Error(text('live_error'));
  const at = number('live_arrays');
  const size = number('live_arrays_size');
  return { about: JSON.parse(about), arrays: cairn.HEAPU8.slice(at, at + size) };
}

/** The state now; a model before it where bodies came or went. */
function frame() {
  let at = number('live_take') >> 2;
  if (at === 0) throw new Error('out of memory');
  let fresh = null;
  if (cairn.HEAP32[at + 2]) {
    fresh = model();
    at = number('live_take') >> 2;
  }
  const [bodies, contacts, , position, velocity, turn, pair, status, point, force] = cairn.HEAP32.subarray(at, at + 10);
  const pairs = wholes(pair, 2 * contacts);
  return {
    kind: 'frame',
    model: fresh,
    time: number('live_time'),
    steps: number('live_steps'),
    hash: text('live_hash'),
    energy: doubles(number('live_energy'), ENERGIES),
    sensors: doubles(number('live_sensors'), run.sensors),
    count: bodies,
    position: reals(position, 3 * bodies),
    velocity: reals(velocity, 3 * bodies),
    turn: Int16Array.from(reals(turn, 4 * bodies), (part) => Math.round(32767 * part)),
    contacts: {
      count: contacts,
      total: contacts,
      a: pairs.filter((_, i) => i % 2 === 0),
      b: pairs.filter((_, i) => i % 2 === 1),
      status: Uint8Array.from(wholes(status, contacts)),
      point: reals(point, 3 * contacts),
      force: reals(force, 3 * contacts),
    },
  };
}

/** The step of the frame after one: evenly, and where a hash is to be compared. */
function following(step) {
  const even = Math.min(run.last, (Math.floor(step / run.every) + 1) * run.every);
  return step < run.check && run.check < even ? run.check : even;
}

function advance(mine) {
  if (run !== mine) return;
  const done = number('live_step', ['number', 'number'], [run.next * run.step, SLICE]);
  if (done < 0) {
    postMessage({ kind: 'failed', text: text('live_error') });
    return;
  }
  if (done > 0) {
    const made = frame();
    postMessage(made);
    if (done === 2 || made.steps >= run.last) {
      postMessage({ kind: 'over' });
      return;
    }
    run.next = following(made.steps);
  }
  setTimeout(guarded, 0, () => advance(mine));
}

function open({ path, parameters, law, frames, check }) {
  run = null;
  if (number('live_open', ['string', 'string', 'string'], [path, parameters, law]) !== 0) throw new Error(text('live_error'));
  const about = JSON.parse(text('live_about'));
  const last = Math.round(about.end / about.step);
  const every = Math.max(1, Math.round(last / frames));
  run = { step: about.step, last, every, check, next: 0, sensors: about.sensors.length };
  postMessage({ kind: 'opened', about, model: model() });
  postMessage(frame());
  run.next = following(0);
  const mine = run;
  setTimeout(guarded, 0, () => advance(mine));
}

function guarded(call) {
  try {
    call();
  } catch (error) {
    run = null;
    postMessage({ kind: 'failed', text: error.message });
  }
}

const calls = {
  /** @param wasm  bytes of the module; files  [{path, text}] */
  async start({ wasm, files }) {
    cairn = await createCairn({ wasmBinary: wasm });
    for (const folder of ['/scenes', '/scenes/data']) cairn.FS.mkdir(folder);
    for (const file of files) cairn.FS.writeFile(file.path, file.text);
    postMessage({ kind: 'ready' });
  },
  write: ({ path, text: content }) => cairn.FS.writeFile(path, content),
  open,
  stop: () => (run = null),
};

onmessage = ({ data }) => {
  if (data.kind === 'start') calls.start(data).catch((error) => postMessage({ kind: 'failed', text: error.message }));
  else guarded(() => calls[data.kind](data));
};
