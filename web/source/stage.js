// SPDX-License-Identifier: Apache-2.0
// Camera, light, ground and the drawing of a picture when something has changed.
import {
  Box3,
  CircleGeometry,
  Color,
  DirectionalLight,
  DoubleSide,
  HemisphereLight,
  Mesh,
  MeshLambertMaterial,
  PCFShadowMap,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

const THEMES = {
  light: { sky: '#ffffff', soil: '#b9b4aa', ground: '#e9e7e2', line: '#a9a59c', fill: 1.7, sun: 2.1 },
  dark: { sky: '#c6d2e2', soil: '#4a4a4e', ground: '#262a30', line: '#5b626c', fill: 1.75, sun: 2.5 },
};

// where a picture takes longer than this (ms) while a run is played, they are drawn more plainly
const SLOW = 90;

/** A disc with a grid that fades away from its middle. */
function groundMaterial(uniforms) {
  const material = new MeshLambertMaterial({ transparent: true, depthWrite: false, side: DoubleSide });
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nvarying vec2 place;')
      .replace('#include <begin_vertex>', '#include <begin_vertex>\nplace = position.xy;');
    shader.fragmentShader = shader.fragmentShader
      .replace(
        '#include <common>',
        `#include <common>
        varying vec2 place;
        uniform float cell, size;
        uniform vec3 line;
        float grid(vec2 at, float width) {
          vec2 d = fwidth(at), near = abs(fract(at - 0.5) - 0.5);
          vec2 on = 1.0 - smoothstep(width * d, (width + 1.0) * d, near);
          return max(on.x, on.y) * (1.0 - smoothstep(0.15, 0.5, max(d.x, d.y)));
        }`,
      )
      .replace(
        '#include <color_fragment>',
        `#include <color_fragment>
        float lines = max(0.35 * grid(place / cell, 0.2), 0.8 * grid(place / (5.0 * cell), 0.4));
        diffuseColor.rgb = mix(diffuseColor.rgb, line, lines);
        diffuseColor.a *= 1.0 - smoothstep(0.35, 1.0, length(place) / size);`,
      );
  };
  return material;
}

/** 1, 2 or 5 times a power of ten, about as large as a number. */
function roundNumber(x) {
  const ten = 10 ** Math.floor(Math.log10(x));
  return ten * (x / ten >= 5 ? 5 : x / ten >= 2 ? 2 : 1);
}

/** Whether a processor draws for want of a graphics processor. */
function isSoftware() {
  const gl = document.createElement('canvas').getContext('webgl2');
  const names = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = gl?.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER) ?? '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|basic render|software/i.test(name);
}

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.software = isSoftware();
    this.renderer = new WebGLRenderer({ canvas, antialias: !this.software, alpha: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(38, 1, 0.01, 1000);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', () => this.ask());
    this.controls.addEventListener('start', () => (this.touched = true));
    this.sun = new DirectionalLight();
    this.fill = new HemisphereLight();
    this.fill.position.set(0, 0, 1);
    this.sun.castShadow = !this.software;
    this.scene.add(this.sun, this.sun.target, this.fill);
    this.uniforms = { cell: { value: 1 }, size: { value: 1 }, line: { value: new Color() } };
    this.ground = null;
    this.level = this.software ? 2 : 0; // of plainness
    this.pictures = 0;
    this.covered = 0; // pixels of the right that the panel covers
    this.slow = 0;
    this.theme = 'light';
    this.before = () => {};
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  setTheme(name) {
    const theme = THEMES[name];
    this.theme = name;
    this.fill.color.set(theme.sky);
    this.fill.groundColor.set(theme.soil);
    this.fill.intensity = theme.fill;
    this.sun.intensity = theme.sun;
    this.uniforms.line.value.set(theme.line);
    if (this.ground) this.ground.material.color.set(theme.ground);
    this.ask();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    const most = [2, 1, 1, 0.7][this.level];
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, most));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(1, height);
    // the picture's middle lies beside the panel
    if (this.covered > 0) this.camera.setViewOffset(width, height, 0.5 * this.covered, 0, width, height);
    else this.camera.clearViewOffset();
    this.camera.updateProjectionMatrix();
    this.ask();
  }

  /** @param quaternion, point  of the plane z = 0 of the ground */
  setGround(quaternion, point) {
    if (this.ground) this.scene.remove(this.ground);
    this.ground = new Mesh(new CircleGeometry(1, 64), groundMaterial(this.uniforms));
    this.ground.receiveShadow = true;
    this.ground.quaternion.copy(quaternion);
    this.ground.position.copy(point);
    this.ground.renderOrder = -1;
    this.scene.add(this.ground);
    this.setTheme(this.theme);
  }

  /** Lets the camera, the light and the ground fit a box. */
  frame(box, cell) {
    this.box = box;
    const size = Math.max(box.getSize(new Vector3()).length(), 1e-9);
    const middle = box.getCenter(new Vector3());
    this.size = size;
    this.uniforms.size.value = 2.6 * size;
    this.uniforms.cell.value = roundNumber(cell);
    if (this.ground) {
      const normal = new Vector3(0, 0, 1).applyQuaternion(this.ground.quaternion);
      const above = normal.dot(middle.clone().sub(this.ground.position));
      this.ground.position.copy(middle).addScaledVector(normal, -above);
      this.ground.geometry.dispose();
      this.ground.geometry = new CircleGeometry(2.6 * size, 64);
    }
    this.light(middle, size);
    this.home();
  }

  light(middle, size) {
    this.sun.position.copy(middle).add(new Vector3(0.45, -0.55, 1.1).setLength(1.6 * size));
    this.sun.target.position.copy(middle);
    const camera = this.sun.shadow.camera;
    const half = 0.75 * size;
    Object.assign(camera, { left: -half, right: half, bottom: -half, top: half });
    Object.assign(camera, { near: 0.1 * size, far: 3.6 * size });
    camera.updateProjectionMatrix();
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 2.2;
    this.sun.shadow.intensity = 0.8;
    this.sun.shadow.normalBias = 0.0015 * size;
    this.sun.shadow.bias = -0.0004;
  }

  /** Of the part of the picture that nothing covers. */
  get freeAspect() {
    return Math.max(0.2, 1 - this.covered / this.canvas.parentElement.clientWidth) * this.camera.aspect;
  }

  /** Where all of the box is seen, from the side that shows most. */
  home() {
    const size = this.box.getSize(new Vector3());
    const middle = this.box.getCenter(new Vector3());
    const around = size.y > 2.5 * size.x ? -0.35 : -1.05;
    const way = new Vector3(Math.cos(around), Math.sin(around), 0.42).normalize();
    this.camera.near = 0.002 * this.size;
    this.camera.far = 40 * this.size;
    this.camera.position.copy(middle).add(way);
    this.camera.lookAt(middle);
    this.camera.updateMatrixWorld();
    // far enough for each corner
    const tangent = Math.tan((0.5 * this.camera.fov * Math.PI) / 180);
    const inverse = this.camera.matrixWorldInverse;
    let distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const at = new Vector3(
        corner & 1 ? this.box.max.x : this.box.min.x,
        corner & 2 ? this.box.max.y : this.box.min.y,
        corner & 4 ? this.box.max.z : this.box.min.z,
      ).applyMatrix4(inverse);
      const off = Math.max(Math.abs(at.y) / tangent, Math.abs(at.x) / (tangent * this.freeAspect));
      distance = Math.max(distance, 1 + at.z + off);
    }
    this.camera.position.copy(middle).addScaledVector(way, 1.12 * distance);
    this.controls.target.copy(middle);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.touched = false;
    this.ask();
  }

  /** Asks for a picture; many askings before it are one. */
  ask() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.asked = false;
    this.before();
    this.renderer.render(this.scene, this.camera);
    this.firstPicture ??= performance.now(); // ms after the page was asked for
    this.pictures++;
  }

  /** @param taken  ms from one picture to the next */
  watch(taken) {
    this.slow = taken > SLOW ? this.slow + 1 : Math.max(0, this.slow - 1);
    if (this.slow < 4 || this.level === 3) return;
    this.slow = 0;
    this.level++;
    if (this.level === 2) this.setShadows(false);
    this.resize();
  }

  setShadows(on) {
    this.sun.castShadow = on;
    this.ask();
  }
}

/** The box around points that most of them are in. */
export function boxAround(points, radii) {
  const box = new Box3();
  if (points.length === 0) return box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
  for (const axis of ['x', 'y', 'z']) {
    const low = points.map((p, i) => p[axis] - radii[i]).sort((a, b) => a - b);
    const high = points.map((p, i) => p[axis] + radii[i]).sort((a, b) => a - b);
    box.min[axis] = low[Math.floor(0.01 * (low.length - 1))];
    box.max[axis] = high[Math.ceil(0.99 * (high.length - 1))];
  }
  return box;
}
