// SPDX-License-Identifier: Apache-2.0
// A contact law of the program's own, used by a scene: a spring that hardens with the overlap, a
// dashpot, and friction that grows with the sliding velocity up to Coulomb's limit.
//
//     cc own_law.c $(pkg-config --cflags --libs cairn) -lm && ./a.out
#include <cairn/cairn.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/// Numbers of a pair of materials, in the order in which the law lists them.
enum { STIFFNESS, HARDENING, DAMPING, FRICTION, CREEP };

static const cairn_parameter_def parameters[] = {
    {"stiffness", "N/m", "of the spring where it begins", 1e5, 0.0, DBL_MAX},
    {"hardening", "1/m", "how the stiffness grows with the overlap", 0.0, 0.0, DBL_MAX},
    {"damping", "N s/m", "of the dashpot", 0.0, 0.0, DBL_MAX},
    {"friction", "", "Coulomb's coefficient", 0.5, 0.0, DBL_MAX},
    {"creep", "m/s", "sliding velocity at which friction has its full size", 1e-3, 1e-9, DBL_MAX},
};

/// One number that the world keeps for each contact: the largest overlap so far.
static const char *const history[] = {"largest_overlap"};

/// The law, for contacts of one pair of materials. It may run in several threads at once.
static void act(void *context, const cairn_law_batch *batch)
{
    (void)context;
    const double *p = batch->parameters;
    for (int i = 0; i < batch->count; i++) {
        // the structs may grow in later versions: step by their sizes in this one
        const cairn_law_contact *contact =
            (const void *)((const char *)batch->contacts + (size_t)i * batch->contact_size);
        cairn_law_answer *answer =
            (void *)((char *)batch->answers + (size_t)i * batch->answer_size);
        double *largest = batch->history + i * batch->history_count;

        // normal force: spring and dashpot, which do not pull
        double overlap = fmax(-contact->gap, 0.0);
        double spring = p[STIFFNESS] * overlap * (1.0 + p[HARDENING] * overlap);
        double force = fmax(spring - p[DAMPING] * contact->velocity[0], 0.0);

        // friction against the sliding velocity
        const double *slide = &contact->velocity[1];
        double speed = sqrt(slide[0] * slide[0] + slide[1] * slide[1]);
        double share = p[FRICTION] * force / fmax(speed, p[CREEP]);

        // impulses on B, in the frame (N, T1, T2)
        answer->impulse[0] = batch->step * force;
        answer->impulse[1] = -batch->step * share * slide[0];
        answer->impulse[2] = -batch->step * share * slide[1];

        // for the audit: what the dashpot and friction take, and what the spring holds
        answer->impulse_damping[0] = batch->step * (force - spring);
        answer->impulse_friction[1] = answer->impulse[1];
        answer->impulse_friction[2] = answer->impulse[2];
        answer->elastic = p[STIFFNESS] * overlap * overlap * (0.5 + p[HARDENING] * overlap / 3.0);

        *largest = fmax(*largest, overlap);
    }
}

/// Called with the world of the scene before the scene names the law.
static cairn_status prepare(void *context, cairn_world *world, cairn_error *error)
{
    cairn_law_def law = cairn_default_law_def();
    law.name = "hardening_spring";
    law.help = "spring that hardens with the overlap, dashpot, friction with creep";
    law.version = 1; // goes into checkpoints: raise it when results change
    law.function = act;
    law.context = context;
    law.parameters = parameters;
    law.parameter_count = sizeof parameters / sizeof parameters[0];
    law.history = history;
    law.history_count = 1;
    return cairn_world_add_law(world, &law, error);
}

static void must(cairn_status status, const cairn_error *error)
{
    if (status == CAIRN_OK)
        return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

static const char scene_text[] =
    "simulation{ step = 1e-4, end_time = 1 }\n"
    "pair{ law = 'hardening_spring', stiffness = 1e4, hardening = 100, damping = 20 }\n"
    "ground{}\n"
    "body{ name = 'ball', shape = sphere{ radius = 0.1 }, mass = 2, position = { 0, 0, 0.15 },\n"
    "      velocity = { 0.5, 0, 0 } }\n";

int main(void)
{
    cairn_error error;
    cairn_scene *scene;
    cairn_world *world;
    cairn_scene_def def = cairn_default_scene_def();
    def.prepare = prepare;
    must(cairn_scene_open("own_law", &def, &scene, &error), &error);
    must(cairn_scene_add(scene, scene_text, &error), &error);
    must(cairn_scene_get_world(scene, &world, &error), &error);

    // what every law has to do, tried on single contacts with parameters of a steel ball's size
    const cairn_parameter tried[] = {{"stiffness", cairn_number(1e5)},
                                     {"hardening", cairn_number(50.0)},
                                     {"damping", cairn_number(20.0)}};
    must(cairn_world_check_law(world, "hardening_spring", tried, 3, &error), &error);
    printf("the law passes the checks of laws\n");

    for (int step = 0; step < 30000; step++)
        must(cairn_world_step(world, &error), &error);

    // at rest the spring bears the weight: k d (1 + b d) = m g
    cairn_body_view ball;
    must(cairn_body_get(world, cairn_body_find(world, "ball"), &ball), &error);
    printf("overlap %.9f m\n", 0.1 - ball.position[2]);
    printf("weight overlap %.9f m\n", (sqrt(1.0 + 4.0 * 100.0 * 2.0 * 9.81 / 1e4) - 1.0) / 200.0);
    // friction makes the ball roll: 5/7 of the velocity is left
    printf("velocity %.6f m/s\n", ball.velocity[0]);
    double largest[CAIRN_LAW_HISTORY_MAX];
    must(cairn_world_read(world, "contacts.history", largest, 1, &error), &error);
    printf("largest overlap %.6f m\n", largest[0]);
    cairn_energy energy = cairn_world_get_energy(world);
    printf("residual %.3e J of %.3f J dissipated\n", energy.residual,
           energy.damping + energy.friction);
    cairn_scene_destroy(scene);
    return 0;
}
