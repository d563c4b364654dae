# SPDX-License-Identifier: Apache-2.0
# What steps are watched for: the command's warnings and errors, for worlds of Python.
"""Warnings of time steps, overlaps and jams; explosions."""
from . import errors
from ._cairn import ffi, lib
from .handles import Body


class Watched:
    """What a World has of it."""
    __slots__ = ()

    @property
    def watched(self):
        """Whether steps are watched as `cairn run` watches them (they are, until this is set to
        False): an explosion raises NumericalError behind the step that it happens in, and a
        CairnWarning tells of overlaps at the start, of a time step above the stable one, of jams and
        of deep overlaps of rigid bodies. Unsolved steps are warned of in any case."""
        return self._watched != ffi.NULL

    @watched.setter
    def watched(self, value):
        self._watched = self._watch if value else ffi.NULL
        self._watch.begun = False

    def _look_at_start(self, count):
        """Once after calls that build: the time step, and what overlaps before the first step."""
        if count == 0:
            return
        self._changed = False
        for text in self._doubts(not self._overlaps_known and self.step_count == 0,
                                 not self._step_known):
            errors.warn(text)
        self._overlaps_known = True

    def _doubts(self, overlaps, step):
        found = []
        if step:
            limit = self.step_limit
            if self.time_step > limit["step"]:
                self._step_known = True
                a, b = limit["materials"]
                late = ", of grains that an emitter makes" if None in limit["bodies"] else ""
                found.append(
                    f'the time step {self.time_step:.3g} s exceeds the stable step '
                    f'{limit["step"]:.3g} s of the stiffest contacts, law {limit["law"]} between '
                    f'"{a}" and "{b}" (stiffness {limit["stiffness"]:.3g} N/m on '
                    f'{limit["mass"]:.3g} kg{late}); {limit["accurate"]:.3g} s keeps the energy')
        if overlaps:
            most = 8
            pairs, count = ffi.new("cairn_overlap[]", most), ffi.new("int *")
            self._check(lib.cairn_world_find_overlaps(self._world, pairs, most, count, self._error))
            for i in range(min(count[0], most)):
                a, b = (f'"{body.name}"' if body.name else f"body {body.id[0]}"
                        for body in (Body(self, pairs[i].a), Body(self, pairs[i].b)))
                found.append(f"{a} and {b} overlap by {pairs[i].depth:.3g} m at the start "
                             f"({pairs[i].relative:.2g} of the smaller one's smallest size)"
                             + (": so deep a pair flies apart at once, or stays within one another; place "
                                "the bodies apart" if pairs[i].relative >= 0.5 else ""))
            if count[0] > most:
                found.append(f"and {count[0] - most} more pairs overlap at the start")
        return found

    def _tell_of_run(self):
        """What `cairn run` says at its end."""
        watch = self._watched
        if watch == ffi.NULL or not watch.begun:
            return
        if watch.unsolved > 0.01 * watch.solved:
            errors.warn(f"{watch.unsolved} of {watch.solved} steps with contacts ended above the "
                        f"tolerance {self.tolerance:.3g}, the worst with {watch.worst:.3g}")
        lib.cairn_guard_end(ffi.addressof(watch, "guard"), self._world)
        text = errors.text_of(watch.guard.warning)
        if text:
            errors.warn(text)

    @property
    def step_limit(self):
        """What limits the time step under explicit laws: {"step": s, "accurate": s, "stiffness":
        N/m, "damping": N s/m, "mass": kg, "bodies": two Bodies, None for a grain that an
        emitter will make, "materials": their names, "law": name}; inf where nothing does.
        accurate is what step="auto" takes."""
        limit = lib.cairn_world_get_stable_step(self._world)
        bodies = [Body(self, each) if each.generation else None for each in (limit.a, limit.b)]
        materials = [errors.text_of(lib.cairn_material_get_name(self._world, each))
                     for each in (limit.material_a, limit.material_b)]
        return {"step": limit.step, "accurate": limit.accurate, "stiffness": limit.stiffness,
                "damping": limit.damping, "mass": limit.mass, "bodies": bodies, "materials": materials,
                "law": errors.text_of(limit.law)}

    @property
    def stable_step(self):
        """s, the longest step that the stiffest contacts of explicit laws are stable with; inf
        where no law has a limit."""
        return self.step_limit["step"]
