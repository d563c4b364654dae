-- SPDX-License-Identifier: Apache-2.0
-- Balls between walls that move by themselves or by servos, for bench/ordinary/gates.py.
local by = param("by", "motion", "motion or servo")
local walls = param("walls", 1, "walls that move: 1 or 6", { integer = true, min = 1, max = 6 })
local across = param("across", 10, "balls along a side", { integer = true, min = 2, max = 100 })
local r, pitch = 0.005, 2 * 0.005 * 0.9995
local side = across * pitch

simulation{ step = 2e-5, end_time = 0.02 }
gravity{ 0, 0, 0 }
material{ name = "grain", density = 2600 }
pair{ law = "hooke", normal_stiffness = 2e4, friction = 0.5 }
for i = 0, across ^ 3 - 1 do
  local place = { i % across, i // across % across, i // across ^ 2 }
  body{ material = "grain", shape = sphere{ radius = r }, position = { r + place[1] * pitch, r + place[2] * pitch, r + place[3] * pitch } }
end
for k = 1, 3 do
  for _, sign in ipairs{ 1, -1 } do
    local moves = walls == 6 or (k == 3 and sign == 1)
    local position, size, inwards = { side / 2, side / 2, side / 2 }, { 1.4 * side, 1.4 * side, 1.4 * side }, { 0, 0, 0 }
    position[k] = sign == 1 and side + 2 * r or -2 * r
    size[k], inwards[k] = 4 * r, -sign
    local name = string.format("wall %d %d", k, sign)
    body{
      name = name, kind = moves and "moving" or "fixed", material = "grain", shape = box{ size = size }, position = position,
      velocity = moves and by == "motion" and { 1e-4 * inwards[1], 1e-4 * inwards[2], 1e-4 * inwards[3] } or nil,
    }
    if moves and by == "servo" then servo{ body = name, axis = inwards, force = 20 * (across / 10) ^ 2, speed = 1e-3 } end
  end
end
