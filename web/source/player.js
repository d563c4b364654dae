// SPDX-License-Identifier: Apache-2.0
// The bar below: time, play, speed.
import { get } from './panel.js';

const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100];
const PLAY = 'M7 4l13 8-13 8z';
const PAUSE = 'M6 4h4v16H6zM14 4h4v16h-4z';

// a run is played in about so many seconds at first, if real time is far from it
const SHORT = 4;
const LONG = 30;

function firstSpeed(duration) {
  if (duration <= 0) return 1;
  if (duration > LONG) return SPEEDS.find((speed) => duration / speed <= LONG) ?? SPEEDS.at(-1);
  return SPEEDS.findLast((speed) => speed <= 1 && duration / speed >= SHORT) ?? SPEEDS[0];
}

export class Player {
  /**
   * @param shown  called with a time that is to be shown
   * @param watch  called with the ms from one picture to the next
   */
  constructor(run, shown, watch) {
    this.watch = watch;
    this.run = run;
    this.shown = shown;
    this.time = run.start;
    this.playing = false;
    this.speed = firstSpeed(run.end - run.start);
    this.digits = Math.min(5, Math.max(2, Math.ceil(2 - Math.log10(run.end - run.start || 1))));
    get('time').min = run.start;
    get('time').max = run.end;
    get('bar').hidden = !(run.end > run.start);
    for (const speed of SPEEDS) get('speed').append(new Option(`${speed}×`, speed));
    get('speed').value = this.speed;
    get('play').addEventListener('click', () => this.toggle());
    get('back').addEventListener('click', () => this.step(-1));
    get('forth').addEventListener('click', () => this.step(1));
    get('time').addEventListener('input', (event) => this.seek(Number(event.target.value)));
    get('speed').addEventListener('change', (event) => (this.speed = Number(event.target.value)));
  }

  /** The last time of which the frame has come. */
  get ready() {
    return this.run.times[this.run.frames.length - 1];
  }

  seek(time) {
    this.time = Math.min(Math.max(time, this.run.start), this.ready);
    get('time').value = this.time;
    const end = this.run.end.toFixed(this.digits);
    get('clock').textContent = `${this.time.toFixed(this.digits)} / ${end} s`;
    get('clock').title = `frame ${this.run.frameAt(this.time) + 1} of ${this.run.times.length}`;
    this.shown(this.time);
  }

  step(frames) {
    this.pause();
    const k = this.run.frameAt(this.time) + frames;
    this.seek(this.run.times[Math.min(Math.max(k, 0), this.run.frames.length - 1)]);
  }

  faster(by) {
    const at = SPEEDS.indexOf(this.speed) + by;
    if (at < 0 || at >= SPEEDS.length) return;
    this.speed = SPEEDS[at];
    get('speed').value = this.speed;
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  pause() {
    this.playing = false;
    get('play-icon').setAttribute('d', PLAY);
    get('play').setAttribute('aria-label', 'Play');
  }

  play() {
    this.playing = true;
    get('play-icon').setAttribute('d', PAUSE);
    get('play').setAttribute('aria-label', 'Pause');
    if (this.time >= this.run.end) this.seek(this.run.start);
    let last = performance.now();
    const go = (now) => {
      if (!this.playing) return;
      // a page that slept does not leap
      const passed = Math.min(Math.max(0, now - last), 250) / 1000;
      this.watch(now - last);
      last = now;
      const next = this.time + passed * this.speed;
      if (next >= this.run.end && this.ready >= this.run.end) {
        this.seek(this.run.end);
        this.pause();
        return;
      }
      this.seek(next);
      requestAnimationFrame(go);
    };
    requestAnimationFrame(go);
  }
}

