// SPDX-License-Identifier: Apache-2.0
// Which body is at a place of the picture.
import { Matrix4, Mesh, MeshBasicMaterial, Raycaster, Sphere, Vector2, Vector3 } from 'three';
import { placePart } from './bodies.js';

const material = new MeshBasicMaterial();

/** Where a ray meets a part, as a distance; Infinity: nowhere. */
function meet(raycaster, bodies, part, matrix) {
  const mesh = new Mesh(bodies.geometry(part.mesh), material);
  mesh.matrixWorld.fromArray(matrix);
  const hits = [];
  mesh.raycast(raycaster, hits);
  return hits.reduce((least, hit) => Math.min(least, hit.distance), Infinity);
}

/**
 * Number of the nearest body; -1: none. Walls that are seen through are looked through.
 * @param x, y  -1 to 1, y upwards
 */
export function pick(stage, bodies, time, x, y) {
  const raycaster = new Raycaster();
  raycaster.setFromCamera(new Vector2(x, y), stage.camera);
  const { model } = bodies.run;
  const ball = new Sphere();
  const matrix = new Float32Array(16);
  const found = { number: -1, distance: Infinity };
  bodies.run.visit(time, (n, px, py, pz, r) => {
    const body = model.bodies[n];
    ball.set(new Vector3(px, py, pz), body.shape.radius);
    if (body.shape.radius === 0 || bodies.isHidden(body) || bodies.isClear(body)) return;
    if (!raycaster.ray.intersectsSphere(ball)) return;
    for (const part of body.shape.parts) {
      placePart(matrix, 0, part.matrix, r, px, py, pz);
      const distance = meet(raycaster, bodies, part, new Matrix4().fromArray(matrix).elements);
      if (distance < found.distance) Object.assign(found, { number: n, distance });
    }
  });
  return found.number;
}
