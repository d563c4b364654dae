// SPDX-License-Identifier: Apache-2.0
// The bodies in the picture: one instanced mesh for all parts that share a surface.
import {
  BackSide,
  Color,
  DoubleSide,
  Group,
  InstancedMesh,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
} from 'three';

const CLEAR = 'clear';
const SOLID = 'solid';

/** Instances of one surface, as many as a frame needs. */
class Instances {
  constructor(group, geometry, material, shadows) {
    this.group = group;
    this.geometry = geometry;
    this.material = material;
    this.shadows = shadows;
    this.mesh = null;
    this.count = 0;
  }

  /** The place for one more, and room for it. */
  next() {
    if (!this.mesh || this.count >= this.mesh.instanceMatrix.count) this.grow();
    return this.count++;
  }

  grow() {
    const before = this.mesh;
    const room = Math.max(16, before ? 2 * before.instanceMatrix.count : 0);
    const mesh = new InstancedMesh(this.geometry, this.material, room);
    mesh.frustumCulled = false;
    mesh.castShadow = this.shadows;
    mesh.receiveShadow = this.shadows;
    mesh.setColorAt(0, new Color());
    if (before) {
      mesh.instanceMatrix.array.set(before.instanceMatrix.array);
      mesh.instanceColor.array.set(before.instanceColor.array);
      this.group.remove(before);
      before.dispose();
    }
    this.group.add(mesh);
    this.mesh = mesh;
  }

  finish() {
    if (!this.mesh) return;
    this.mesh.count = this.count;
    this.mesh.visible = this.count > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.instanceColor.needsUpdate = true;
  }
}

/** Puts a part of a body into 16 numbers, column by column. */
export function placePart(out, at, m, r, x, y, z) {
  for (let c = 0; c < 4; c++) {
    const a = m[c];
    const b = m[4 + c];
    const d = m[8 + c];
    out[at + 4 * c] = r[0] * a + r[1] * b + r[2] * d;
    out[at + 4 * c + 1] = r[3] * a + r[4] * b + r[5] * d;
    out[at + 4 * c + 2] = r[6] * a + r[7] * b + r[8] * d;
    out[at + 4 * c + 3] = 0;
  }
  out[at + 12] += x;
  out[at + 13] += y;
  out[at + 14] += z;
  out[at + 15] = 1;
}

export class Bodies {
  constructor(run, colouring) {
    this.run = run;
    this.colouring = colouring;
    this.group = new Group();
    this.sets = new Map();
    this.geometries = new Map();
    this.walls = 'auto';
    this.selected = -1;
    this.solid = new MeshStandardMaterial({ roughness: 0.62, metalness: 0 });
    // thin surfaces are seen from both sides, solid ones from outside
    this.sheet = new MeshStandardMaterial({ roughness: 0.7, metalness: 0, side: DoubleSide });
    this.clear = new MeshStandardMaterial({
      roughness: 0.5, metalness: 0, side: DoubleSide, transparent: true, opacity: 0.16, depthWrite: false,
    });
    this.mark = new MeshBasicMaterial({ color: '#ff3d7f', side: BackSide });
    this.marks = new Group();
    this.group.add(this.marks);
    this.counts = new Map();
    for (const body of run.model.bodies)
      for (const part of body.shape.parts)
        this.counts.set(part.mesh, (this.counts.get(part.mesh) ?? 0) + 1);
  }

  /** Bodies through which the contacts inside are seen. */
  set ghosts(value) {
    for (const material of [this.solid, this.sheet]) {
      material.transparent = value;
      material.opacity = value ? 0.22 : 1;
      material.needsUpdate = true;
    }
  }

  geometry(mesh) {
    if (!this.geometries.has(mesh))
      this.geometries.set(mesh, this.run.model.geometry(mesh, this.counts.get(mesh)));
    return this.geometries.get(mesh);
  }

  isClear(body) {
    return body.holds && !body.floor && this.walls === 'auto';
  }

  instances(part, body) {
    const clear = this.isClear(body);
    const sheet = part.mesh >= this.run.model.surfaces.length - 1 && body.kind !== 0;
    const key = `${part.mesh} ${clear ? CLEAR : SOLID} ${sheet}`;
    if (!this.sets.has(key)) {
      const material = clear ? this.clear : sheet ? this.sheet : this.solid;
      const made = new Instances(this.group, this.geometry(part.mesh), material, !clear);
      this.sets.set(key, made);
    }
    return this.sets.get(key);
  }

  isHidden(body) {
    return body.holds && !body.floor && this.walls === 'hidden';
  }

  update(time) {
    const { run } = this;
    const { model } = run;
    const frame = run.frames[run.frameAt(time)];
    const colourOf = this.colouring.of(frame);
    const colour = new Color();
    let row = 0;
    for (const set of this.sets.values()) set.count = 0;
    this.marks.clear();
    run.visit(time, (n, x, y, z, r) => {
      const body = model.bodies[n];
      colourOf(n, row++, colour);
      if (this.isHidden(body)) return;
      for (const part of body.shape.parts) {
        if (model.isPlane(part)) continue;
        const set = this.instances(part, body);
        const i = set.next();
        placePart(set.mesh.instanceMatrix.array, 16 * i, part.matrix, r, x, y, z);
        colour.toArray(set.mesh.instanceColor.array, 3 * i);
        if (n === this.selected) this.addMark(part, set.mesh.instanceMatrix.array, 16 * i);
      }
    });
    for (const set of this.sets.values()) set.finish();
  }

  /** A rim around the body that was picked. */
  addMark(part, matrices, at) {
    const mark = new Mesh(this.geometry(part.mesh), this.mark);
    const rim = 0.05 * this.run.model.typical;
    const grow = part.scale.map((size) => 1 + rim / (this.isMesh(part) ? this.run.model.typical : size));
    mark.matrixAutoUpdate = false;
    mark.matrix = new Matrix4().fromArray(matrices, at).multiply(new Matrix4().makeScale(...grow));
    this.marks.add(mark);
  }

  isMesh(part) {
    return part.mesh >= this.run.model.surfaces.length - 1;
  }
}
