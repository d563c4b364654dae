// SPDX-License-Identifier: Apache-2.0
// Curves over time on a canvas, with axes, a legend and the instant that is shown.

const COLOURS = ['#e17055', '#568cc4', '#62a884', '#b07ab2', '#d9a13f', '#5cb0bc', '#8d6e63', '#c05780', '#7f8c8d'];

/** A number for people: three or four digits. */
export function show(number) {
  if (!Number.isFinite(number)) return '–';
  const size = Math.abs(number);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return number.toExponential(2).replace('e+', 'e');
  return String(Number(number.toPrecision(4)));
}

/** 1, 2 or 5 times a power of ten, so that a range has about so many steps. */
function stepOf(range, count) {
  const rough = range / count;
  const ten = 10 ** Math.floor(Math.log10(rough));
  return ten * (rough / ten > 5 ? 10 : rough / ten > 2 ? 5 : rough / ten > 1 ? 2 : 1);
}

/** Headings of a run's tables are "name [unit]". */
export function cutHeading(heading) {
  const cut = /^(.*?)(?: \[([^\]]*)\])?$/.exec(heading);
  return { name: cut[1], unit: cut[2] ?? '' };
}

export class Plot {
  /** @param seek  called with a time where the plot is pressed or dragged */
  constructor(canvas, legend, seek) {
    this.canvas = canvas;
    this.legend = legend;
    this.curves = [];
    this.time = 0;
    const go = (event) => {
      if (event.buttons !== 1 || !this.range) return;
      const { left } = canvas.getBoundingClientRect();
      const part = (event.clientX - left - this.left) / this.width;
      seek(this.range[0] + Math.min(1, Math.max(0, part)) * (this.range[1] - this.range[0]));
    };
    canvas.addEventListener('pointerdown', go);
    canvas.addEventListener('pointermove', go);
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  /** @param curves  [{name, times, values}] */
  setCurves(curves, unit) {
    this.curves = curves.map((curve, i) => ({ ...curve, colour: COLOURS[i % COLOURS.length] }));
    this.unit = unit;
    this.legend.replaceChildren(
      ...this.curves.map((curve) => {
        const item = document.createElement('span');
        const dot = document.createElement('i');
        dot.style.background = curve.colour;
        const value = document.createElement('b');
        curve.shown = value;
        item.append(dot, curve.name, value);
        return item;
      }),
    );
    this.draw();
  }

  setTime(time) {
    this.time = time;
    this.draw();
  }

  bounds() {
    let [t0, t1, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const { times, values } of this.curves)
      for (let i = 0; i < values.length; i++) {
        if (!Number.isFinite(values[i]) || !Number.isFinite(times[i])) continue;
        t0 = Math.min(t0, times[i]);
        t1 = Math.max(t1, times[i]);
        low = Math.min(low, values[i]);
        high = Math.max(high, values[i]);
      }
    if (low > 0 && low < 0.5 * high) low = 0;
    if (!(high > low)) [low, high] = [low - (Math.abs(low) || 1), low + (Math.abs(low) || 1)];
    const room = 0.04 * (high - low);
    return [t0, t1 > t0 ? t1 : t0 + 1, low === 0 ? 0 : low - room, high + room];
  }

  draw() {
    const { canvas } = this;
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width === 0 || height === 0) return;
    canvas.width = Math.round(ratio * width);
    canvas.height = Math.round(ratio * height);
    const pen = canvas.getContext('2d');
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = '11px system-ui, sans-serif';
    const [t0, t1, low, high] = this.bounds();
    this.range = t1 > t0 && Number.isFinite(t0) ? [t0, t1] : null;
    if (!this.range) return;
    this.left = 46;
    this.width = width - this.left - 8;
    this.height = height - 14 - 20;
    this.x = (t) => this.left + ((t - t0) / (t1 - t0)) * this.width;
    this.y = (v) => 14 + (1 - (v - low) / (high - low)) * this.height;
    this.drawAxes(pen, [t0, t1, low, high]);
    this.drawCurves(pen);
    this.drawInstant(pen);
  }

  drawAxes(pen, [t0, t1, low, high]) {
    const style = getComputedStyle(this.canvas);
    pen.strokeStyle = style.getPropertyValue('--rule');
    pen.fillStyle = style.getPropertyValue('--faint');
    pen.lineWidth = 1;
    pen.textAlign = 'right';
    pen.textBaseline = 'middle';
    const dy = stepOf(high - low, 4);
    for (let v = Math.ceil(low / dy) * dy; v <= high; v += dy) {
      const y = Math.round(this.y(v)) + 0.5;
      pen.beginPath();
      pen.moveTo(this.left, y);
      pen.lineTo(this.left + this.width, y);
      pen.stroke();
      pen.fillText(show(Math.abs(v) < 1e-9 * dy ? 0 : v), this.left - 5, y);
    }
    pen.textAlign = 'center';
    pen.textBaseline = 'top';
    const dx = stepOf(t1 - t0, 5);
    for (let t = Math.ceil(t0 / dx) * dx; t <= t1 + 1e-9 * dx; t += dx)
      if (this.x(t) < this.left + this.width - 14)
        pen.fillText(show(Math.abs(t) < 1e-9 * dx ? 0 : t), this.x(t), 14 + this.height + 5);
    pen.textAlign = 'left';
    pen.textBaseline = 'top';
    pen.fillText(this.unit, 2, 0);
    pen.textAlign = 'right';
    pen.fillText('s', this.left + this.width + 7, 14 + this.height + 5);
  }

  drawCurves(pen) {
    pen.lineWidth = 1.5;
    pen.lineJoin = 'round';
    for (const { times, values, colour } of this.curves) {
      pen.strokeStyle = colour;
      pen.beginPath();
      let drawing = false;
      for (let i = 0; i < values.length; i++) {
        const there = Number.isFinite(values[i]);
        if (there && drawing) pen.lineTo(this.x(times[i]), this.y(values[i]));
        else if (there) pen.moveTo(this.x(times[i]), this.y(values[i]));
        drawing = there;
      }
      pen.stroke();
    }
  }

  drawInstant(pen) {
    const x = Math.min(Math.max(this.x(this.time), this.left), this.left + this.width);
    pen.strokeStyle = getComputedStyle(this.canvas).getPropertyValue('--accent');
    pen.beginPath();
    pen.moveTo(x, 14);
    pen.lineTo(x, 14 + this.height);
    pen.stroke();
    for (const curve of this.curves) {
      let i = 0;
      while (i + 1 < curve.times.length && curve.times[i + 1] <= this.time + 1e-9) i++;
      curve.shown.textContent = show(curve.values[i]);
    }
  }
}
