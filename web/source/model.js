// SPDX-License-Identifier: Apache-2.0
// What the bodies of a run look like: surfaces, parts, shapes, bodies.
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CylinderGeometry,
  SphereGeometry,
} from 'three';

export const DYNAMIC = 0;

/** Arrays of the block by their names; of some names there are many. */
function readArrays(about, bytes) {
  const arrays = new Map();
  const types = { f32: Float32Array, u32: Uint32Array };
  for (const { name, type, first, count } of about.arrays) {
    const array = new types[type](bytes.buffer, 4 * first, count);
    if (!arrays.has(name)) arrays.set(name, []);
    arrays.get(name).push(array);
  }
  return arrays;
}

/** Rows of a table of numbers. */
function rows(array, width) {
  return Array.from({ length: array.length / width }, (_, i) =>
    array.subarray(width * i, width * (i + 1)),
  );
}

export class Model {
  constructor(about, bytes) {
    const arrays = readArrays(about, bytes);
    this.surfaces = about.surfaces;
    this.meshes = rows(arrays.get('mesh_counts')[0], 3).map((_, i) => ({
      points: arrays.get('points')[i],
      normals: arrays.get('normals')[i],
      triangles: arrays.get('triangles')[i],
    }));
    this.parts = rows(arrays.get('parts')[0], 11).map((row) => makePart(row));
    const radius = arrays.get('shape_radius')[0];
    this.shapes = rows(arrays.get('shape_parts')[0], 3).map(([first, count, turns], i) => ({
      parts: this.parts.slice(first, first + count),
      turns: turns === 1,
      radius: radius[i],
    }));
    const reals = rows(arrays.get('body_reals')[0], 4);
    this.bodies = rows(arrays.get('bodies')[0], 3).map(([shape, material, kind], i) => ({
      shape: this.shapes[shape],
      material,
      kind,
      mass: reals[i][0],
      centre: [reals[i][1], reals[i][2], reals[i][3]],
      name: '',
    }));
    for (const { body, name } of about.names) this.bodies[body].name = name;
    this.plain = false;
    this.typical = this.typicalRadius();
    for (const body of this.bodies) body.holds = this.isHolder(body);
  }

  typicalRadius() {
    const of = (some) =>
      some
        .map((body) => body.shape.radius)
        .filter((radius) => radius > 0)
        .sort((a, b) => a - b);
    let radii = of(this.bodies.filter((body) => body.kind === DYNAMIC));
    if (radii.length === 0) radii = of(this.bodies);
    return radii.length > 0 ? radii[radii.length >> 1] : 1;
  }

  /** Fixed and far larger than the others, such as a drum or a hopper: it may hide them. */
  isHolder(body) {
    const plane = body.shape.parts.some((part) => this.isPlane(part));
    return body.kind !== DYNAMIC && !plane && body.shape.radius > 3 * this.typical;
  }

  isPlane(part) {
    return this.surfaces[part.mesh] === 'plane';
  }

  /** A geometry of unit size, coarser the more there are, and where a processor draws. */
  geometry(mesh, count) {
    // multiples of four, so that domes meet tubes point by point
    const many = this.plain ? 8 * count : count;
    const around = many <= 300 ? 28 : many <= 2500 ? 20 : many <= 20000 ? 12 : 8;
    switch (this.surfaces[mesh] ?? 'mesh') {
      case 'sphere':
        return new SphereGeometry(1, around, Math.max(5, Math.round(0.65 * around)));
      case 'dome':
        return new SphereGeometry(
          1, around, Math.max(3, around >> 2), 0, 2 * Math.PI, 0, Math.PI / 2,
        ).rotateX(Math.PI / 2);
      case 'tube':
        return new CylinderGeometry(1, 1, 2, around, 1, true).rotateX(Math.PI / 2);
      case 'cylinder':
        return new CylinderGeometry(1, 1, 2, around).rotateX(Math.PI / 2);
      case 'box':
        return new BoxGeometry(2, 2, 2);
      default:
        return this.meshGeometry(this.meshes[mesh - this.surfaces.length + 1]);
    }
  }

  meshGeometry(mesh) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(mesh.points, 3));
    geometry.setIndex(new BufferAttribute(mesh.triangles, 1));
    if (mesh.normals.length > 0) {
      geometry.setAttribute('normal', new BufferAttribute(mesh.normals, 3));
      return geometry;
    }
    const flat = geometry.toNonIndexed();
    flat.computeVertexNormals();
    return flat;
  }
}

/** A part with the matrix of its placement and size: 3 rows of 4. */
function makePart(row) {
  const [mesh, x, y, z, qw, qx, qy, qz, a, b, c] = row;
  const r = rotation(qx, qy, qz, qw);
  return {
    mesh,
    matrix: [
      a * r[0], b * r[1], c * r[2], x,
      a * r[3], b * r[4], c * r[5], y,
      a * r[6], b * r[7], c * r[8], z,
    ],
    scale: [a, b, c],
    reach: Math.hypot(a, b, c),
  };
}

/** Rows of the matrix of a unit quaternion. */
export function rotation(x, y, z, w, out = []) {
  out[0] = 1 - 2 * (y * y + z * z);
  out[1] = 2 * (x * y - w * z);
  out[2] = 2 * (x * z + w * y);
  out[3] = 2 * (x * y + w * z);
  out[4] = 1 - 2 * (x * x + z * z);
  out[5] = 2 * (y * z - w * x);
  out[6] = 2 * (x * z - w * y);
  out[7] = 2 * (y * z + w * x);
  out[8] = 1 - 2 * (x * x + y * y);
  return out;
}
