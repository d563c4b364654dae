// SPDX-License-Identifier: Apache-2.0
// What can be plotted: energies, sensors and measures of the run, and the body that was picked.
import { cutHeading } from './plot.js';

/** Columns of a table with their numbers: those with one unit and one beginning go together. */
function groupsOf(run, table, title) {
  const columns = run.about.tables[table].map((column) => ({
    ...cutHeading(column.name),
    values: column.values ?? new Float32Array(run.bytes.buffer, 4 * column.first, column.count),
  }));
  const time = columns.find((column) => column.name === 'time');
  if (!time) return [];
  const groups = new Map();
  for (const column of columns) {
    if (column === time || column.name === 'step') continue;
    // energies that a run has none of
    if (table === 'energy' && column.values.every((value) => value === 0)) continue;
    // "floor force x" belongs to "floor force", "stress xx" to "stress"
    const stem = table === 'energy' ? '' : column.name.replace(/ ([xyz]{1,2}|norm)$/, '');
    const key = `${stem}\n${column.unit}`;
    if (!groups.has(key)) {
      const label = table === 'energy' ? `${title} [${column.unit}]` : `${title}: ${stem}`;
      groups.set(key, { label, unit: column.unit, curves: [] });
    }
    groups.get(key).curves.push({ name: column.name, times: time.values, values: column.values });
  }
  return [...groups.values()];
}

/** All plots of the tables, in the order of the list. */
export function tablePlots(run) {
  return [
    ...groupsOf(run, 'energy', 'Energies').filter((group) => group.unit === 'J'),
    ...groupsOf(run, 'sensors', 'Sensor'),
    ...groupsOf(run, 'measures', 'Measure'),
  ];
}

/** Speed and height of a body over the frames it is in. */
export function bodyPlots(run, number) {
  const times = [];
  const speed = [];
  const height = [];
  run.frames.forEach((frame, k) => {
    const row = run.row(frame, number);
    times.push(run.times[k]);
    speed.push(row < 0 ? NaN : run.speed(frame, row));
    height.push(row < 0 ? NaN : frame.position[3 * row + 2] + run.about.scale.origin[2]);
  });
  return [
    { label: 'This body: speed', unit: 'm/s', curves: [{ name: 'speed', times, values: speed }] },
    { label: 'This body: height', unit: 'm', curves: [{ name: 'z', times, values: height }] },
  ];
}
