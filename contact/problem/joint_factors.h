// SPDX-License-Identifier: Apache-2.0
// Inside of the factors of joints: bodies that joints connect, and solves for one such cluster.
#ifndef CAIRN_CONTACT_PROBLEM_JOINT_FACTORS_H
#define CAIRN_CONTACT_PROBLEM_JOINT_FACTORS_H

#include "contact/linear/block_lu.h"
#include "contact/problem/joints.h"

/// Joints that share bodies with one another, and their part of S, each padded to the rows of the
/// one with most.
typedef struct con_joint_cluster {
    int begin, end; // into con_joint_factors.joint
    int block;      // rows of a joint
    bool full_rank; // S is factored as it is; else with a little added to its diagonal
    con_block_pattern pattern;
    con_block_order order;
    con_block_lu lu;
    double *values; // [entries][block * block] S with unit diagonal, nothing added
} con_joint_cluster;

struct con_joint_factors {
    const con_joints *joints;
    int body_count;
    const double (*mass_inverse)[6];
    int cluster_count;
    con_joint_cluster *cluster; // in the order of their first joints
    int *joint;                 // [count] joints by cluster, ascending
    int *cluster_of_body;       // [body_count] -1 for a body without joints
    int *body_start;            // [cluster_count + 1] into cluster_body
    int *cluster_body;          // bodies by cluster, ascending
    double *unit;               // [rows] sqrt(kg): rows times unit have unit diagonal; 0: immovable
    double (*G)[2][6];          // [rows] times unit; zero where immobile
    double *z;                  // [rows] impulses / unit of the last solve
    double *work[3];            // [6 joints of the largest cluster]
};

/// v of the bodies of one cluster, brought to G v = b; z of its rows set.
/// @param b  [rows] of the problem
/// @param v  [body_count][6] in and out
/// @return squared size of the scaled b - G v that is left
double con_joint_cluster_solve(con_joint_factors *factors, int cluster, const double *b,
                               double (*v)[6]);

/// The same with b = 0; z is overwritten.
void con_joint_cluster_project(con_joint_factors *factors, int cluster, double (*v)[6]);

#endif
