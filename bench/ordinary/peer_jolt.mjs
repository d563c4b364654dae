// SPDX-License-Identifier: Apache-2.0
// usage: node peer_jolt.mjs NODE_MODULES SCENE.json: steps a neutral scene with Jolt, ten velocity and four position steps.
import fs from 'fs';
import path from 'path';
import { pathToFileURL } from 'url';

const [, , modules, file] = process.argv;
const entry = path.join(modules, 'jolt-physics/dist/jolt-physics.wasm-compat.js');
const jolt = await (await import(pathToFileURL(entry).href)).default();
const scene = JSON.parse(fs.readFileSync(file, 'utf8'));
const STILL = 0, MOVING = 1;
const settings = new jolt.JoltSettings();
const filter = new jolt.ObjectLayerPairFilterTable(2);
if (scene.collide) {
    filter.EnableCollision(STILL, MOVING);
    filter.EnableCollision(MOVING, MOVING);
}
const layers = new jolt.BroadPhaseLayerInterfaceTable(2, 2);
layers.MapObjectToBroadPhaseLayer(STILL, new jolt.BroadPhaseLayer(0));
layers.MapObjectToBroadPhaseLayer(MOVING, new jolt.BroadPhaseLayer(1));
settings.mObjectLayerPairFilter = filter;
settings.mBroadPhaseLayerInterface = layers;
settings.mObjectVsBroadPhaseLayerFilter = new jolt.ObjectVsBroadPhaseLayerFilterTable(layers, 2, filter, 2);
const engine = new jolt.JoltInterface(settings);
const system = engine.GetPhysicsSystem();
system.SetGravity(new jolt.Vec3(0, 0, -scene.gravity));
const physics = system.GetPhysicsSettings();
physics.mNumVelocitySteps = 10;
physics.mNumPositionSteps = 4;
physics.mAllowSleeping = false;
system.SetPhysicsSettings(physics);
const bodyInterface = system.GetBodyInterface();
const vector = (v) => new jolt.Vec3(...v);
const place = (v) => new jolt.RVec3(...v);

function shapeOf({ shape, size }) {
    if (shape === 'box')
        return new jolt.BoxShape(vector(size), 0.0);
    if (shape === 'sphere')
        return new jolt.SphereShape(size[0]);
    // its capsules stand along y
    const turn = new jolt.Quat(Math.SQRT1_2, 0, 0, Math.SQRT1_2);
    return new jolt.RotatedTranslatedShapeSettings(new jolt.Vec3(0, 0, 0), turn, new jolt.CapsuleShapeSettings(size[1], size[0])).Create().Get();
}

const bodies = scene.bodies.map((each) => {
    const [w, x, y, z] = each.turn;
    const moves = each.mass > 0;
    const creation = new jolt.BodyCreationSettings(shapeOf(each), place(each.position), new jolt.Quat(x, y, z, w),
        moves ? jolt.EMotionType_Dynamic : jolt.EMotionType_Static, moves ? MOVING : STILL);
    creation.mFriction = scene.friction;
    creation.mRestitution = 0;
    creation.mLinearDamping = creation.mAngularDamping = 0;
    creation.mMaxAngularVelocity = 1e6;
    creation.mAllowSleeping = false;
    creation.mEnhancedInternalEdgeRemoval = true;
    if (moves) {
        creation.mOverrideMassProperties = jolt.EOverrideMassProperties_CalculateInertia;
        creation.mMassPropertiesOverride.mMass = each.mass;
    }
    const body = bodyInterface.CreateBody(creation);
    bodyInterface.AddBody(body.GetID(), jolt.EActivation_Activate);
    if (moves) {
        bodyInterface.SetLinearVelocity(body.GetID(), vector(each.velocity));
        bodyInterface.SetAngularVelocity(body.GetID(), vector(each.spin));
    }
    return body;
});
for (const joint of scene.joints) {
    const constraint = joint.kind === 'ball' ? new jolt.PointConstraintSettings() : new jolt.HingeConstraintSettings();
    constraint.mSpace = jolt.EConstraintSpace_WorldSpace;
    constraint.mPoint1 = constraint.mPoint2 = place(joint.at);
    if (joint.kind === 'hinge') {
        const axis = vector(joint.axis);
        constraint.mHingeAxis1 = constraint.mHingeAxis2 = axis;
        constraint.mNormalAxis1 = constraint.mNormalAxis2 = axis.GetNormalizedPerpendicular();
    }
    const first = joint.first < 0 ? jolt.Body.prototype.sFixedToWorld : bodies[joint.first];
    system.AddConstraint(constraint.Create(first, bodies[joint.second]));
}
for (let k = 0; k < scene.steps; k++)
    engine.Step(scene.step, 1);
const list = (v) => [v.GetX(), v.GetY(), v.GetZ()];
console.log(JSON.stringify(bodies.map((body) => {
    const q = body.GetRotation();
    return {
        position: list(body.GetCenterOfMassPosition()), turn: [q.GetW(), q.GetX(), q.GetY(), q.GetZ()],
        velocity: list(body.GetLinearVelocity()), spin: list(body.GetAngularVelocity()),
    };
})));
process.exit(0);
