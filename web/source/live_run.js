// SPDX-License-Identifier: Apache-2.0
// A run that is still being made: frames come from a worker.
import { Run } from './run.js';

const ENERGIES = [
  'kinetic', 'potential', 'elastic', 'drivers', 'correction', 'impact', 'friction', 'damping', 'plastic', 'joints',
  'residual',
];

function columnsOf(headings) {
  return ['time [s]', ...headings].map((name) => ({ name, values: [] }));
}

export class LiveRun extends Run {
  /** @param opened  {about, model: {about, arrays}} as the worker tells it */
  constructor({ about, model }) {
    super(
      {
        ...about,
        ...model.about,
        times: [],
        contacts: true,
        scale: { origin: [0, 0, 0] },
        tables: {
          energy: columnsOf(ENERGIES.map((name) => `${name} [J]`)),
          sensors: columnsOf(about.sensors),
          measures: [],
        },
      },
      model.arrays,
    );
    this.over = false;
  }

  get start() {
    return 0;
  }

  get end() {
    return this.over ? super.end : this.about.end;
  }

  /** Takes a frame of the worker. */
  take(frame) {
    const { energy, sensors } = this.about.tables;
    this.times.push(frame.time);
    this.frames.push({ ...frame, numbers: null });
    [frame.time, ...frame.energy].forEach((value, i) => energy[i].values.push(value));
    [frame.time, ...frame.sensors].forEach((value, i) => sensors[i].values.push(value));
  }

  /** A table as text: a heading, and a row a frame. */
  csv(name) {
    const columns = this.about.tables[name];
    const rows = this.times.map((_, i) => columns.map((column) => column.values[i]).join(','));
    return [columns.map((column) => column.name.replaceAll(',', ' ')).join(','), ...rows, ''].join('\n');
  }
}
