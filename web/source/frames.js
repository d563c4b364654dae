// SPDX-License-Identifier: Apache-2.0
// Frames out of their bytes, as cli/export/export_stream.h describes them.

const COLUMNS = 9;
const TURN = 3;
const VELOCITY = 6;

/** Numbers of one block, read from its beginning to its end. */
class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
    this.order = 0;
  }

  get done() {
    return this.at >= this.bytes.length;
  }

  byte() {
    return this.bytes[this.at++];
  }

  word() {
    const b = this.bytes;
    const at = this.at;
    this.at += 4;
    return (b[at] | (b[at + 1] << 8) | (b[at + 2] << 16) | (b[at + 3] << 24)) >>> 0;
  }

  take(count) {
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }

  /** A column: its numbers; the order of prediction stays in `order`. */
  column(count) {
    this.order = this.byte();
    const width = this.byte();
    const out = new Int32Array(count);
    for (let plane = 0; plane < width; plane++) {
      const bytes = this.take(count);
      for (let i = 0; i < count; i++) out[i] |= bytes[i] << (8 * plane);
    }
    for (let i = 0; i < count; i++) out[i] = (out[i] >>> 1) ^ -(out[i] & 1);
    return out;
  }
}

/** What is remembered of each body from the frames before. */
class Tracks {
  constructor(bodies) {
    this.last = new Int32Array(COLUMNS * bodies);
    this.before = new Int32Array(COLUMNS * bodies);
    this.leftOut = new Uint8Array(bodies);
    this.run = new Uint8Array(bodies);
    this.frame = new Int32Array(bodies).fill(-2);
  }

  foretell(at, known) {
    if (known === 0) return 0;
    return known === 1 ? this.last[at] : (2 * this.last[at] - this.before[at]) | 0;
  }
}

function unbend(number, most, largest) {
  const part = number / most;
  return part * Math.abs(part) * largest;
}

/** Turns the bytes of blocks into frames. */
export class FrameDecoder {
  /** @param turns  [bodies] whether the orientation of a body is told */
  constructor(about, turns) {
    this.about = about;
    this.turns = turns;
    this.anyTurns = turns.some((each) => each);
  }

  /** All frames of a block. */
  decode(bytes) {
    const reader = new Reader(bytes);
    const tracks = new Tracks(this.about.bodies);
    const frames = [];
    while (!reader.done) frames.push(this.frame(reader, tracks, frames.length));
    return frames;
  }

  /** Numbers of the bodies that are there; null: all of them. */
  numbers(reader, count) {
    if (reader.byte() === 0) return null;
    const bits = reader.take((this.about.bodies + 7) >> 3);
    const numbers = new Int32Array(count);
    let found = 0;
    for (let n = 0; n < this.about.bodies; n++)
      if ((bits[n >> 3] >> (n & 7)) & 1) numbers[found++] = n;
    return numbers;
  }

  frame(reader, tracks, index) {
    const count = reader.word();
    const numbers = this.numbers(reader, count);
    const number = numbers ? (i) => numbers[i] : (i) => i;
    for (let i = 0; i < count; i++)
      if (tracks.frame[number(i)] !== index - 1) tracks.run[number(i)] = 0;

    const values = Array.from({ length: COLUMNS }, () => new Int32Array(count));
    for (let c = 0; c < TURN; c++) this.predicted(reader, tracks, values[c], c, number);
    const turning = [];
    if (this.anyTurns) for (let i = 0; i < count; i++) if (this.turns[number(i)]) turning.push(i);
    const told = reader.column(turning.length);
    const left = new Uint8Array(count);
    turning.forEach((i, k) => (left[i] = told[k]));
    for (let c = TURN; c < VELOCITY; c++)
      this.predicted(reader, tracks, values[c], c, number, turning, left);
    for (let c = VELOCITY; c < COLUMNS; c++) this.predicted(reader, tracks, values[c], c, number);
    this.remember(tracks, values, left, number, index);
    return {
      count,
      numbers,
      position: this.positions(values, count),
      turn: this.anyTurns ? this.orientations(values, left, turning, count) : null,
      velocity: this.velocities(values, count),
      contacts: this.contacts(reader, tracks, index),
    };
  }

  predicted(reader, tracks, out, column, number, some = null, left = null) {
    const rest = reader.column(some ? some.length : out.length);
    const order = reader.order;
    for (let k = 0; k < rest.length; k++) {
      const i = some ? some[k] : k;
      const n = number(i);
      let known = Math.min(order, tracks.run[n]);
      if (left && tracks.run[n] > 0 && tracks.leftOut[n] !== left[i]) known = 0;
      out[i] = (tracks.foretell(COLUMNS * n + column, known) + rest[k]) | 0;
    }
  }

  remember(tracks, values, left, number, index) {
    for (let i = 0; i < left.length; i++) {
      const n = number(i);
      for (let c = 0; c < COLUMNS; c++) {
        tracks.before[COLUMNS * n + c] = tracks.last[COLUMNS * n + c];
        tracks.last[COLUMNS * n + c] = values[c][i];
      }
      if (tracks.run[n] > 0 && this.turns[n] && tracks.leftOut[n] !== left[i])
        for (let c = TURN; c < VELOCITY; c++)
          tracks.before[COLUMNS * n + c] = tracks.last[COLUMNS * n + c];
      tracks.leftOut[n] = left[i];
      tracks.run[n] = Math.min(2, tracks.run[n] + 1);
      tracks.frame[n] = index;
    }
  }

  /** [count * 3] m, from the page's origin. */
  positions(values, count) {
    const { length } = this.about.scale;
    const out = new Float32Array(3 * count);
    for (let i = 0; i < count; i++)
      for (let axis = 0; axis < 3; axis++) out[3 * i + axis] = length * values[axis][i];
    return out;
  }

  /** [count * 4] x y z w in units of 1 / 32767. */
  orientations(values, left, turning, count) {
    const { turn } = this.about.scale;
    const out = new Int16Array(4 * count);
    const q = [1, 0, 0, 0];
    for (let i = 0; i < count; i++) out[4 * i + 3] = 32767;
    for (const i of turning) {
      let at = TURN;
      let rest = 1;
      for (let part = 0; part < 4; part++) {
        if (part === left[i]) continue;
        q[part] = values[at++][i] / turn;
        rest -= q[part] * q[part];
      }
      q[left[i]] = Math.sqrt(Math.max(0, rest));
      for (let part = 0; part < 4; part++) out[4 * i + ((part + 3) & 3)] = Math.round(32767 * q[part]);
    }
    return out;
  }

  /** [count * 3] m/s. */
  velocities(values, count) {
    const { velocity, velocity_most: most } = this.about.scale;
    const out = new Float32Array(3 * count);
    for (let i = 0; i < count; i++)
      for (let axis = 0; axis < 3; axis++)
        out[3 * i + axis] = unbend(values[VELOCITY + axis][i], most, velocity);
    return out;
  }

  /** The contacts that are kept; null where the frame keeps none. */
  contacts(reader, tracks, index) {
    const kept = reader.byte() === 1;
    const total = reader.word();
    const count = reader.word();
    const { length, force, force_most: most } = this.about.scale;
    const columns = Array.from({ length: 9 }, () => reader.column(count));
    if (!kept) return null;
    const out = {
      count,
      total,
      a: new Int32Array(count),
      b: new Int32Array(count),
      status: Uint8Array.from(columns[2]),
      point: new Float32Array(3 * count),
      force: new Float32Array(3 * count),
    };
    let a = 0;
    for (let i = 0; i < count; i++) {
      a += columns[0][i];
      out.a[i] = a;
      out.b[i] = a + columns[1][i];
      const known = tracks.frame[a] === index && tracks.run[a] > 0;
      for (let axis = 0; axis < 3; axis++) {
        const from = known ? tracks.last[COLUMNS * a + axis] : 0;
        out.point[3 * i + axis] = length * ((columns[3 + axis][i] + from) | 0);
        out.force[3 * i + axis] = unbend(columns[6 + axis][i], most, force);
      }
    }
    return out;
  }
}
