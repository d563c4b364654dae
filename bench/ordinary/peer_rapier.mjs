// SPDX-License-Identifier: Apache-2.0
// usage: node peer_rapier.mjs NODE_MODULES SCENE.json: steps a neutral scene with Rapier, eight solver iterations.
import fs from 'fs';
import path from 'path';
import { pathToFileURL } from 'url';

const [, , modules, file] = process.argv;
const folder = path.join(modules, '@dimforge/rapier3d-compat');
const about = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
const entry = about.module ?? about.main;
const loaded = await import(pathToFileURL(path.join(folder, entry)).href);
const rapier = loaded.default ?? loaded;
// it announces how it wants to be called on the standard output
const say = console.log;
console.log = console.warn = () => {};
await rapier.init();
const scene = JSON.parse(fs.readFileSync(file, 'utf8'));
const vector = ([x, y, z]) => ({ x, y, z });
const turnOf = ([w, x, y, z]) => ({ w, x, y, z });
const world = new rapier.World({ x: 0, y: 0, z: -scene.gravity });
world.timestep = scene.step;
world.numSolverIterations = 8;

const bodies = scene.bodies.map((each) => {
    const kind = each.mass > 0 ? rapier.RigidBodyDesc.dynamic() : rapier.RigidBodyDesc.fixed();
    kind.setTranslation(...each.position).setRotation(turnOf(each.turn)).setCanSleep(false);
    if (each.mass > 0) {
        kind.setLinvel(...each.velocity).setAngvel(vector(each.spin));
        kind.setAdditionalMassProperties(each.mass, vector([0, 0, 0]), vector(each.inertia), turnOf([1, 0, 0, 0]));
    }
    const body = world.createRigidBody(kind);
    const size = each.size;
    const collider = each.shape === 'box' ? rapier.ColliderDesc.cuboid(...size)
        : each.shape === 'sphere' ? rapier.ColliderDesc.ball(size[0])
            : rapier.ColliderDesc.capsule(size[1], size[0]).setRotation(turnOf([Math.SQRT1_2, Math.SQRT1_2, 0, 0]));
    collider.setDensity(0).setFriction(scene.friction).setRestitution(0);
    if (!scene.collide)
        collider.setCollisionGroups(0x00010000);
    world.createCollider(collider, body);
    return body;
});

// a place or an axis of the world in the axes of a body at its start
function inverse([w, x, y, z], v) {
    const turn = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    const u = [-x, -y, -z], c = turn(u, v).map((each) => 2 * each), d = turn(u, c);
    return v.map((each, k) => each + w * c[k] + d[k]);
}
const localPlace = (each, place) => inverse(each.turn, place.map((p, k) => p - each.position[k]));
const ground = world.createRigidBody(rapier.RigidBodyDesc.fixed());
const origin = { turn: [1, 0, 0, 0], position: [0, 0, 0] };
for (const joint of scene.joints) {
    const first = joint.first < 0 ? origin : scene.bodies[joint.first];
    const second = scene.bodies[joint.second];
    const places = [first, second].map((each) => vector(localPlace(each, joint.at)));
    const data = joint.kind === 'ball' ? rapier.JointData.spherical(...places)
        : rapier.JointData.revolute(...places, vector(joint.axis));
    world.createImpulseJoint(data, joint.first < 0 ? ground : bodies[joint.first], bodies[joint.second], true);
}
for (let k = 0; k < scene.steps; k++)
    world.step();
const list = ({ x, y, z }) => [x, y, z];
say(JSON.stringify(bodies.map((body) => {
    const q = body.rotation();
    return { position: list(body.translation()), turn: [q.w, q.x, q.y, q.z], velocity: list(body.linvel()), spin: list(body.angvel()) };
})));
process.exit(0);
