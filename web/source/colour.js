// SPDX-License-Identifier: Apache-2.0
// Colours of bodies: by number, material, or a quantity on a scale.
import { Color } from 'three';
import { DYNAMIC } from './model.js';

const PALETTE = ['#e17055', '#568cc4', '#ecb45c', '#62a884', '#b07ab2', '#e59292', '#5cb0bc', '#c4a882'];
const STOPS = ['#343c82', '#2c788e', '#32a874', '#96ce46', '#fade3c'];
const palette = PALETTE.map((each) => new Color(each));
const stops = STOPS.map((each) => new Color(each));
const grey = new Color('#7c828a');

export const SCALE_CSS = `linear-gradient(to right, ${STOPS.join(', ')})`;

export function paletteCss(number) {
  return PALETTE[number % PALETTE.length];
}

function onScale(x, out) {
  const t = Math.min(Math.max(x, 0), 1) * (stops.length - 1) || 0;
  const low = Math.min(Math.floor(t), stops.length - 2);
  return out.copy(stops[low]).lerp(stops[low + 1], t - low);
}

/** Sums of the contact forces on each body, N. */
function forcesOf(run, frame) {
  const sums = new Float32Array(run.about.bodies);
  const contacts = frame.contacts;
  for (let i = 0; contacts && i < contacts.count; i++) {
    const f = contacts.force;
    const size = Math.hypot(f[3 * i], f[3 * i + 1], f[3 * i + 2]);
    sums[contacts.a[i]] += size;
    sums[contacts.b[i]] += size;
  }
  return sums;
}

/** `of(run, frame)` makes a function of number and row. */
export const QUANTITIES = {
  body: { label: 'Body' },
  material: { label: 'Material' },
  speed: { label: 'Speed', unit: 'm/s', of: (run, frame) => (_, row) => run.speed(frame, row) },
  height: {
    label: 'Height',
    unit: 'm',
    signed: true,
    of: (run, frame) => (_, row) => frame.position[3 * row + 2] + run.about.scale.origin[2],
  },
  force: {
    label: 'Contact force',
    unit: 'N',
    contacts: true,
    of: (run, frame) => {
      const sums = forcesOf(run, frame);
      return (number) => sums[number];
    },
  },
  mass: { label: 'Mass', unit: 'kg', of: (run) => (number) => run.model.bodies[number].mass },
};

/** Range of a quantity over frames from all of the run; what a few bodies alone reach is beyond. */
function rangeOf(run, quantity) {
  const values = [];
  const step = Math.max(1, Math.floor(run.frames.length / 16));
  for (let k = 0; k < run.frames.length; k += step) {
    const frame = run.frames[k];
    const value = quantity.of(run, frame);
    const stride = Math.max(1, Math.floor(frame.count / 2000));
    for (let i = 0; i < frame.count; i += stride) {
      const n = frame.numbers ? frame.numbers[i] : i;
      if (run.model.bodies[n].kind === DYNAMIC) values.push(value(n, i));
    }
  }
  values.sort((a, b) => a - b);
  if (values.length === 0) return [0, 1];
  const high = values[Math.floor(0.99 * (values.length - 1))] || values[values.length - 1];
  const low = quantity.signed ? values[Math.floor(0.01 * (values.length - 1))] : 0;
  return high > low ? [low, high] : [low, low + (Math.abs(low) || 1)];
}

export class Colouring {
  constructor(run) {
    this.run = run;
    this.choose('body');
  }

  choose(name) {
    this.name = name;
    this.quantity = QUANTITIES[name];
    this.range = this.quantity.of ? rangeOf(this.run, this.quantity) : null;
  }

  /** A function of number and row that puts a colour into `out`. */
  of(frame) {
    const { run, quantity, range } = this;
    const { bodies } = run.model;
    if (this.name === 'body')
      return (n, row, out) => {
        if (bodies[n].kind !== DYNAMIC) return out.copy(grey);
        // each round of the palette is a little lighter or darker
        return out.copy(palette[n % palette.length]).multiplyScalar(1 + 0.14 * Math.sin(2.4 * n));
      };
    if (this.name === 'material')
      return (n, row, out) => out.copy(palette[bodies[n].material % palette.length]);
    const value = quantity.of(run, frame);
    return (n, row, out) => {
      if (bodies[n].kind !== DYNAMIC) return out.copy(grey);
      return onScale((value(n, row) - range[0]) / (range[1] - range[0]), out);
    };
  }
}
