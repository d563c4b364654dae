// SPDX-License-Identifier: Apache-2.0
// Where bodies and their images are in a step, how fast points of them move, and what pushes do.
#ifndef CAIRN_ENGINE_STATE_KINEMATICS_H
#define CAIRN_ENGINE_STATE_KINEMATICS_H

#include "engine/state/world.h"

struct eng_turning;

/// Whether joints hold a dynamic body: it turns by the mean of its velocities, theory.md (1.12).
static inline bool eng_is_jointed(const cairn_world *world, int body)
{
    const eng_body *b = &world->model.bodies.rows[body];
    return world->model.joints.count > 0 && b->extra > 0 && b->kind == CAIRN_DYNAMIC &&
           world->model.bodies.extras[b->extra - 1].joints > 0;
}

/// Whether a body turns as the equations of free bodies say and not by a scheme, between what the
/// middle of the step gives it, theory.md (1.10) and (1.14): v then has the angular velocity of the
/// middle.
static inline bool eng_flows(const cairn_world *world, int body)
{
    const eng_body *b = &world->model.bodies.rows[body];
    return b->flows != 0 || (world->model.def.rotation == CAIRN_RIG_EXACT &&
                             b->kind == CAIRN_DYNAMIC && !eng_is_jointed(world, body));
}

/// The principal axis about which such a body spins without any of its joints turning with it, and
/// without precession: there its turn is the exact one, theory.md (1.13). -1: none.
int eng_body_spin_axis(const cairn_world *world, int body);

/// rad, what that adds to the turn of a step, for the rates before and after.
double eng_body_lag(const cairn_world *world, double before, double after);

/// Where a body is half a step after its state.
/// @param omega  out, rad/s, principal axes: the angular velocity there under RIG_EXACT, else that
///               of the state
pose eng_body_middle(const cairn_world *world, int body, double half, vec3 *omega);

/// Velocity of a dynamic body after the step without contacts and joints; after the midpoint.
void eng_body_free(const cairn_world *world, int body, double v_free[6]);

/// A dynamic body of the general passes goes to the midpoint and gets its free velocity.
/// @param turning  out, for eng_body_end
void eng_body_begin(cairn_world *world, int body, struct eng_turning *turning);

/// A body is about to get a state from outside: whether it may go so far in half a step that what
/// it meets there is to be looked at.
bool eng_body_is_thrown(const cairn_world *world, int body, const eng_state *state);

/// What eng_body_begin did to a body is taken back.
void eng_body_take_back(const cairn_world *world, int body, const struct eng_turning *turning);

/// Free velocities go to the rows of the problem, where bodies are not its rows themselves.
void eng_solver_rows_fill(cairn_world *world);

/// Row in the implicit problem of a body that takes part in the general passes of this step.
static inline int eng_solver_row(const cairn_world *world, int body)
{
    return world->scratch.solve.row != NULL ? world->scratch.solve.row[body] : body;
}

/// Where a body is at the end of the step, and its velocity there, for the velocity v_end that the
/// impulses of the midpoint give it, theory.md (1.5)-(1.9).
/// @param turning  what the begin of the step said; NULL: it is worked out again
void eng_body_end(const cairn_world *world, int body, const struct eng_turning *turning,
                  const double v_end[6], pose *q, double v[6]);

/// Kinetic energy for body velocities; those of the bodies of the general passes by q and v as they
/// are now, and their potential energy of gravity.
double eng_body_kinetic_energy(const cairn_world *world, int body, const double v[6]);
double eng_body_potential_energy(const cairn_world *world, int body, const pose *q);
void eng_energies_general(const cairn_world *world, double *kinetic, double *potential);

/// Kinetic energy of a body and minus its potential energy, J; zeros where it is not dynamic.
void eng_body_energies(const cairn_world *world, int body, double *kinetic, double *fallen);

/// Velocity of a body's material point at `point`, world, for body velocities v.
vec3 eng_point_velocity(const double v[6], const pose *q, vec3 point);

/// Mean of a body's velocities before and after the impulses of the step: of a moving body, whose
/// motion may change within the step, what its driver's work is the product with.
void eng_mean_velocity(const cairn_world *world, int body, double mean[6]);

/// Share of one body in a contact's diagonal block of W: the velocity that unit impulses along the
/// rows of the frame, at the point, give it, kg^-1.
/// @param inverse  of mass and principal moments; zeros where nothing moves the body
mat3 eng_point_mobility(const double inverse[6], const pose *q, const mat3 *frame, vec3 point);

/// Where the point of a contact of this step is in one of its bodies: not in both in one place
/// where they come to it later.
static inline vec3 eng_contact_place(const cairn_world *world, int contact, int side)
{
    const eng_contacts *c = &world->contacts.set;
    vec3 ahead = c->ahead[contact];
    return side == 0 ? vec3_add(c->point[contact], ahead) : vec3_sub(c->point[contact], ahead);
}

/// The image of a body next to a point lies this far from the body, in the midpoint configuration;
/// 0 in open space and for half-spaces.
vec3 eng_image_shift(const cairn_world *world, int body, vec3 point);
/// The same for the image of B next to A.
vec3 eng_pair_shift(const cairn_world *world, int a, int b);
/// Centre, in the midpoint configuration of the last step, of the image of a body that is next to a
/// point; between steps too, and of bodies with a particle slot.
vec3 eng_image_centre(const cairn_world *world, int body, vec3 point);
/// The point as it lies to the body itself.
vec3 eng_image_point(const cairn_world *world, int body, vec3 point);
/// Velocity of that image at a point, m/s, when the body has the velocity v.
vec3 eng_image_velocity(const cairn_world *world, int body, const double v[6], vec3 point);
/// What the strain of the cell adds to it.
vec3 eng_image_drift(const cairn_world *world, int body, vec3 point);

/// Whether bodies with this restitution that part or close at a speed along the normal of their
/// contact bounce: what gravity gives in a step is no impact, and neither is round-off.
bool eng_bounces(const cairn_world *world, int a, int b, double restitution, double speed);

/// Whether a contact of a step bore more than the round-off of its solve: what it moved bodies by.
bool eng_contact_bore(const cairn_world *world, const eng_contacts *contacts, int contact);

/// Whether a contact of this step obeys Newton's law of restitution, and not the margin of one that
/// is open, theory.md (3.1)-(3.2).
bool eng_contact_bounces(const cairn_world *world, int contact, double restitution);

/// v_free += M^-1 (impulse in N s, torque about the centre in N m s, world axes) of a dynamic body.
void eng_body_push(eng_world_state *state, int body, vec3 impulse, vec3 torque);

#endif
