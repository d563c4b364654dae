// SPDX-License-Identifier: Apache-2.0
// Contacts in the picture: forces as arrows, or chains of bars from centre to centre.
import {
  Color,
  ConeGeometry,
  CylinderGeometry,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  MeshStandardMaterial,
  Quaternion,
  Vector3,
  Matrix4,
} from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';
import { DYNAMIC } from './model.js';

const STATUS = [new Color('#969ea8'), new Color('#2eae5c'), new Color('#e84232')];
const CHAIN = [new Color('#f2c14e'), new Color('#d7263d')];

/** From 0 to 1 along z, of radius 1 at its widest. */
function arrowGeometry() {
  const shaft = new CylinderGeometry(0.42, 0.42, 0.7, 8).translate(0, 0.35, 0);
  const head = new ConeGeometry(1, 0.3, 12).translate(0, 0.85, 0);
  return mergeGeometries([shaft, head]).rotateX(Math.PI / 2);
}

function barGeometry() {
  return new CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0).rotateX(Math.PI / 2);
}

function sizeOf(force, i) {
  return Math.hypot(force[3 * i], force[3 * i + 1], force[3 * i + 2]);
}

export class Contacts {
  constructor(run) {
    this.run = run;
    this.group = new Group();
    this.mode = 'off';
    this.scale = 1;
    this.material = new MeshStandardMaterial({ roughness: 0.6 });
    this.geometries = { forces: arrowGeometry(), chains: barGeometry() };
    this.mesh = null;
    this.reference = 0;
    this.axis = new Vector3(0, 0, 1);
    this.centres = new Float32Array(3 * run.about.bodies);
  }

  /** A large force of the run, not the very largest. */
  findReference() {
    const sizes = [];
    for (const { contacts } of this.run.frames) {
      const step = contacts ? Math.max(1, Math.floor(contacts.count / 500)) : 1;
      for (let i = 0; contacts && i < contacts.count; i += step) sizes.push(sizeOf(contacts.force, i));
    }
    sizes.sort((a, b) => a - b);
    this.reference = sizes[Math.floor(0.95 * (sizes.length - 1))] || this.run.about.scale.force || 1;
  }

  /** The contacts of the frame at a time; null where it keeps none. */
  at(time) {
    return this.run.frames[this.run.frameAt(time)].contacts;
  }

  reserve(count) {
    const geometry = this.geometries[this.mode];
    if (this.mesh && this.mesh.geometry === geometry && this.mesh.instanceMatrix.count >= count) return;
    if (this.mesh) {
      this.group.remove(this.mesh);
      this.mesh.dispose();
    }
    this.mesh = new InstancedMesh(geometry, this.material, Math.max(64, Math.ceil(1.5 * count)));
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.mesh.setColorAt(0, STATUS[0]);
    this.group.add(this.mesh);
  }

  update(time) {
    this.time = time;
    const contacts = this.mode === 'off' ? null : this.at(time);
    if (this.mesh) this.mesh.visible = false;
    if (!contacts || contacts.count === 0) return;
    if (this.reference === 0) this.findReference();
    this.reserve(2 * contacts.count);
    this.count = 0;
    if (this.mode === 'chains') this.fillCentres();
    for (let i = 0; i < contacts.count; i++)
      if (this.mode === 'forces') this.addArrow(contacts, i);
      else this.addChain(contacts, i);
    this.mesh.count = this.count;
    this.mesh.visible = true;
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.instanceColor.needsUpdate = true;
  }

  addArrow(contacts, i) {
    const size = sizeOf(contacts.force, i);
    const { typical } = this.run.model;
    const length = (2.2 * typical * this.scale * size) / this.reference;
    if (length < 0.02 * typical) return;
    const from = new Vector3().fromArray(contacts.point, 3 * i);
    const way = new Vector3().fromArray(contacts.force, 3 * i).setLength(length);
    this.addSegment(from, way, Math.min(0.16 * length, 0.16 * typical), STATUS[contacts.status[i]]);
  }

  fillCentres() {
    const { run, centres } = this;
    const k = run.frameAt(this.time);
    run.visit(run.times[k], (n, x, y, z, r) => {
      const [a, b, c] = run.model.bodies[n].centre;
      centres[3 * n] = x + r[0] * a + r[1] * b + r[2] * c;
      centres[3 * n + 1] = y + r[3] * a + r[4] * b + r[5] * c;
      centres[3 * n + 2] = z + r[6] * a + r[7] * b + r[8] * c;
    });
  }

  /** From the point to the centres of those of the two that move. */
  addChain(contacts, i) {
    const { typical, bodies } = this.run.model;
    const part = sizeOf(contacts.force, i) / this.reference;
    const radius = Math.min(0.25 * typical * this.scale * part, 0.5 * typical);
    if (radius < 0.006 * typical) return;
    const from = new Vector3().fromArray(contacts.point, 3 * i);
    const colour = new Color().copy(CHAIN[0]).lerp(CHAIN[1], Math.min(1, part));
    for (const n of [contacts.a[i], contacts.b[i]]) {
      if (bodies[n].kind !== DYNAMIC) continue;
      const way = new Vector3().fromArray(this.centres, 3 * n).sub(from);
      this.addSegment(from, way, radius, colour);
    }
  }

  addSegment(from, way, radius, colour) {
    const length = way.length();
    if (!(length > 0)) return;
    const turn = new Quaternion().setFromUnitVectors(this.axis, way.clone().divideScalar(length));
    const matrix = new Matrix4().compose(from, turn, new Vector3(radius, radius, length));
    this.mesh.setMatrixAt(this.count, matrix);
    this.mesh.setColorAt(this.count++, colour);
  }
}
