// SPDX-License-Identifier: Apache-2.0
// The run: its frames as they come in, and the state of its bodies at any time.
import { findBlocks, readBlock } from './blocks.js';
import { FrameDecoder } from './frames.js';
import { Model, rotation } from './model.js';

export class Run {
  constructor(about, bytes) {
    this.about = about;
    this.bytes = bytes; // of the arrays of bodies and tables
    this.model = new Model(about, bytes);
    this.times = about.times;
    this.frames = [];
    this.index = new Int32Array(about.bodies).fill(-1);
  }

  get start() {
    return this.times[0];
  }

  get end() {
    return this.times[this.times.length - 1];
  }

  /** The last frame that has come and is not later than a time. */
  frameAt(time) {
    let low = 0;
    let high = this.frames.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Row of a body in a frame; -1 where it is not there. */
  row(frame, number) {
    if (!frame.numbers) return number;
    let low = 0;
    let high = frame.numbers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (frame.numbers[middle] < number) low = middle + 1;
      else high = middle;
    }
    return frame.numbers[low] === number ? low : -1;
  }

  /**
   * Where bodies are at a time, between two frames too: centres go straight, bodies turn about them.
   * `each(number, x, y, z, rotation)` gets the shape's frame; the rotation is one array for all.
   */
  visit(time, each) {
    const k = this.frameAt(time);
    const frame = this.frames[k];
    const later = this.frames[k + 1];
    const span = later ? this.times[k + 1] - this.times[k] : 0;
    const part = span > 0 ? Math.min(1, Math.max(0, (time - this.times[k]) / span)) : 0;
    const lookUp = part > 0 && (frame.numbers || later.numbers);
    if (lookUp) this.fillIndex(later);
    const pose = new Pose(this, frame, later, part, span);
    for (let i = 0; i < frame.count; i++) {
      const n = frame.numbers ? frame.numbers[i] : i;
      pose.take(i, part > 0 ? (lookUp ? this.index[n] : i) : -1, this.model.bodies[n]);
      each(n, pose.x, pose.y, pose.z, pose.rotation);
    }
  }

  fillIndex(frame) {
    this.index.fill(-1);
    for (let i = 0; i < frame.count; i++) this.index[frame.numbers ? frame.numbers[i] : i] = i;
  }

  /** Speed of a row, m/s. */
  speed(frame, row) {
    const v = frame.velocity;
    return Math.hypot(v[3 * row], v[3 * row + 1], v[3 * row + 2]);
  }
}

/** A run whose frames are in the page. */
export class Replay extends Run {
  constructor(about, bytes) {
    super(about, bytes);
    this.decoder = new FrameDecoder(
      about,
      this.model.bodies.map((body) => body.shape.turns),
    );
    this.blocks = findBlocks('frames');
  }

  static async open() {
    const [about] = findBlocks('about');
    const [arrays] = findBlocks('arrays');
    const text = new TextDecoder().decode(await readBlock(about));
    return new Replay(JSON.parse(text), await readBlock(arrays));
  }

  /** Reads the next block of frames. @return whether there may be more */
  async readMore() {
    const block = this.blocks.shift();
    if (block) this.frames.push(...this.decoder.decode(await readBlock(block)));
    return this.blocks.length > 0;
  }
}

/** A body between two frames. */
class Pose {
  constructor(run, frame, later, part, span) {
    this.frame = frame;
    this.later = later;
    this.part = part;
    this.span = span;
    this.reach = 2 * run.model.typical;
    this.rotation = [1, 0, 0, 0, 1, 0, 0, 0, 1];
    this.q = [0, 0, 0, 1];
  }

  /** @param j  row in the later frame; -1: as it is in the earlier one */
  take(i, j, body) {
    const p = this.frame.position;
    this.x = p[3 * i];
    this.y = p[3 * i + 1];
    this.z = p[3 * i + 2];
    const between = j >= 0 && this.isNear(i, j);
    if (!body.shape.turns) {
      rotation(0, 0, 0, 1, this.rotation);
      if (between) this.move(j, body.centre, false);
      return;
    }
    this.turn(this.frame.turn, 4 * i);
    if (between) this.move(j, body.centre, true);
  }

  turn(from, at) {
    const q = this.q;
    for (let c = 0; c < 4; c++) q[c] = from[at + c] / 32767;
    rotation(q[0], q[1], q[2], q[3], this.rotation);
  }

  /** Bodies that a periodic cell or a scene has put elsewhere jump. */
  isNear(i, j) {
    const { position: a, velocity: v } = this.frame;
    const { position: b, velocity: w } = this.later;
    let way = 0;
    let speed = 0;
    for (let axis = 0; axis < 3; axis++) {
      way = Math.max(way, Math.abs(b[3 * j + axis] - a[3 * i + axis]));
      speed = Math.max(speed, Math.abs(v[3 * i + axis]), Math.abs(w[3 * j + axis]));
    }
    return way <= 2 * speed * this.span + this.reach;
  }

  move(j, centre, turns) {
    const { part, rotation: r, q } = this;
    const b = this.later.position;
    const [cx, cy, cz] = centre;
    const off = cx !== 0 || cy !== 0 || cz !== 0;
    let [x, y, z] = [this.x, this.y, this.z];
    let [u, v, w] = [b[3 * j], b[3 * j + 1], b[3 * j + 2]];
    if (off && turns) {
      x += r[0] * cx + r[1] * cy + r[2] * cz;
      y += r[3] * cx + r[4] * cy + r[5] * cz;
      z += r[6] * cx + r[7] * cy + r[8] * cz;
    }
    if (turns) {
      const [qx, qy, qz, qw] = q;
      this.turn(this.later.turn, 4 * j);
      if (off) {
        u += r[0] * cx + r[1] * cy + r[2] * cz;
        v += r[3] * cx + r[4] * cy + r[5] * cz;
        w += r[6] * cx + r[7] * cy + r[8] * cz;
      }
      const dot = qx * q[0] + qy * q[1] + qz * q[2] + qw * q[3];
      const take = dot < 0 ? -part : part;
      const keep = 1 - part;
      const m = [keep * qx + take * q[0], keep * qy + take * q[1], keep * qz + take * q[2], keep * qw + take * q[3]];
      const norm = Math.hypot(...m) || 1;
      for (let c = 0; c < 4; c++) q[c] = m[c] / norm;
      rotation(q[0], q[1], q[2], q[3], r);
    }
    this.x = x + part * (u - x);
    this.y = y + part * (v - y);
    this.z = z + part * (w - z);
    if (off && turns) {
      this.x -= r[0] * cx + r[1] * cy + r[2] * cz;
      this.y -= r[3] * cx + r[4] * cy + r[5] * cz;
      this.z -= r[6] * cx + r[7] * cy + r[8] * cz;
    }
  }
}
