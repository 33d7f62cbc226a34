"use strict";
// The stage of a scene: WebGL 2, no libraries, no network.  Poses are 12 numbers: R by rows, then p.
const steinerMath = (() => {
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const sum = (a, b, k = 1) => [a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]];
  const scaled = (a, k) => [a[0] * k, a[1] * k, a[2] * k];
  const unit = a => scaled(a, 1 / (Math.hypot(...a) || 1));
  const turned = (T, v) => [0, 3, 6].map(k => T[k] * v[0] + T[k + 1] * v[1] + T[k + 2] * v[2]);
  const back = (T, v) => [0, 1, 2].map(k => T[k] * v[0] + T[k + 3] * v[1] + T[k + 6] * v[2]);
  const placed = (T, v) => sum(turned(T, v), T.slice(9));
  return {dot, cross, sum, scaled, unit, back, placed};
})();

// Draws the actors of a scene where `now(actor)` says they are; `chosen(actor, item)` hears what is clicked.
function steinerStage(stage, data, state, now, chosen) {
  const {dot, cross, sum, scaled, unit, back, placed} = steinerMath;
  const CREASE = Math.cos(Math.PI / 6), INK = "#1d2733", GREY = "#6b7785", FOCAL = 1 / Math.tan(Math.PI / 12);
  const rgb = c => [1, 3, 5].map(k => parseInt(c.slice(k, k + 2), 16) / 255);
  const canvas = document.createElement("canvas"), words = document.createElement("div");
  words.className = "words";
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", data.title);
  stage.append(canvas, words);
  const gl = canvas.getContext("webgl2", {alpha: false, antialias: true, preserveDrawingBuffer: true});
  const layers = new Map(data.layers.map(l => [l.name, l]));
  const size = Math.hypot(...sum(data.box[1], data.box[0], -1)) || 1;

  // ---- what is drawn ----------------------------------------------------------------------------------
  const shell = (V, F) => {  // corners with normals that are smooth up to a crease, and the creases
    const count = F.length / 3, N = [], P = new Float32Array(6 * F.length), first = new Int32Array(V.length / 3).fill(-1);
    const next = new Int32Array(F.length), open = new Map(), lines = [], vertex = k => [V[3 * k], V[3 * k + 1], V[3 * k + 2]];
    for (let f = 0; f < count; f++) {
      const [a, b, c] = [0, 1, 2].map(k => vertex(F[3 * f + k])), n = cross(sum(b, a, -1), sum(c, a, -1));
      N.push({n, unit: unit(n)});
      for (let k = 0; k < 3; k++) {
        const i = 3 * f + k, u = F[i], v = F[3 * f + (k + 1) % 3], key = Math.min(u, v) * 4294967296 + Math.max(u, v);
        next[i] = first[u];
        first[u] = i;
        const other = open.get(key);
        if (other === undefined) open.set(key, f);
        else {
          open.delete(key);
          if (dot(N[other].unit, N[f].unit) < CREASE) lines.push(u, v);
        }
      }
    }
    for (const key of open.keys()) lines.push(Math.floor(key / 4294967296), key % 4294967296);
    for (let i = 0; i < F.length; i++) {
      const own = N[Math.floor(i / 3)].unit;
      let n = [0, 0, 0];
      for (let j = first[F[i]]; j >= 0; j = next[j]) {
        const other = N[Math.floor(j / 3)];
        if (dot(own, other.unit) > CREASE) n = sum(n, other.n);
      }
      P.set([...vertex(F[i]), ...unit(n)], 6 * i);
    }
    const segments = [];
    for (let k = 0; k < lines.length; k += 2) segments.push([vertex(lines[k]), vertex(lines[k + 1]), 1, 1]);
    return {P, segments};
  };
  const program = (vertex, fragment) => {
    const p = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const s = gl.createShader(kind);
      gl.shaderSource(s, "#version 300 es\nprecision highp float;\n" + text);
      gl.compileShader(s);
      gl.attachShader(p, s);
    }
    gl.linkProgram(p);
    const at = {};
    for (let k = gl.getProgramParameter(p, gl.ACTIVE_UNIFORMS) - 1; k >= 0; k--) {
      const name = gl.getActiveUniform(p, k).name;
      at[name] = gl.getUniformLocation(p, name);
    }
    return {p, at};
  };
  const SOLID = gl && program(`layout(location=0) in vec3 x; layout(location=1) in vec3 n; uniform mat4 seen, pose; out vec3 N;
    void main() { N = mat3(pose) * n; gl_Position = seen * pose * vec4(x, 1.); }`,
  `in vec3 N; uniform vec3 light, towards; uniform vec4 colour; out vec4 o;
    void main() { vec3 n = normalize(N); n *= sign(dot(n, towards) + 1e-6);
      float shine = pow(max(dot(n, normalize(light + towards)), 0.), 40.);
      o = vec4(colour.rgb * (.6 + .46 * max(dot(n, light), 0.)) + .12 * shine, colour.a); }`);
  const LINES = gl && program(`layout(location=0) in vec3 a; layout(location=1) in vec3 b; layout(location=2) in vec2 wide;
    uniform mat4 seen, pose; uniform vec2 size; uniform float width, near; out float along;
    void main() { vec4 A = seen * pose * vec4(a, 1.), B = seen * pose * vec4(b, 1.); A /= A.w; B /= B.w;
      vec2 d = (B.xy - A.xy) * size; float l = length(d), e = float(gl_VertexID / 2), s = float(gl_VertexID % 2) * 2. - 1.;
      d = l > 0. ? d / l : vec2(1., 0.); vec4 C = mix(A, B, e); along = e * l / 2.;
      gl_Position = vec4(C.xy + s * width * mix(wide.x, wide.y, e) * vec2(-d.y, d.x) / size, C.z - near, 1.); }`,
  `in float along; uniform vec4 colour; uniform float dash; out vec4 o;
    void main() { if (dash > 0. && mod(along, 2. * dash) > dash) discard; o = colour; }`);
  const DOTS = gl && program(`uniform mat4 seen; uniform vec3 at; uniform float size;
    void main() { gl_Position = seen * vec4(at, 1.); gl_PointSize = size; }`,
  `uniform vec4 colour, paper; uniform float centre; out vec4 o;
    void main() { vec2 d = gl_PointCoord * 2. - 1.; float r = length(d); if (r > 1.) discard;
      o = centre > 0. && r < .8 && d.x * d.y > 0. ? paper : colour; }`);
  const buffer = (array, strides) => {
    const vao = gl.createVertexArray(), held = gl.createBuffer();
    gl.bindVertexArray(vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, held);
    gl.bufferData(gl.ARRAY_BUFFER, array, gl.STATIC_DRAW);
    const whole = strides.reduce((a, b) => a + b);
    strides.forEach((n, k) => {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, n, gl.FLOAT, false, 4 * whole, 4 * strides.slice(0, k).reduce((a, b) => a + b, 0));
      if (whole === 8) gl.vertexAttribDivisor(k, 1);
    });
    return {vao, held, count: array.length / whole};
  };
  const freed = b => b && (gl.deleteVertexArray(b.vao), gl.deleteBuffer(b.held));
  const strip = segments => gl && buffer(new Float32Array(segments.flatMap(([a, b, u, v]) => [...a, ...b, u, v])), [3, 3, 2]);
  const polyline = points => points.slice(1).map((p, k) => [points[k], p, 1, 1]);
  const triples = flat => Array.from({length: flat.length / 3}, (_, k) => [...flat.slice(3 * k, 3 * k + 3)]);
  const built = (item, points) => {  // (again) the buffers of an item
    freed(item.faces);
    freed(item.lines);
    if (item.kind === "surface") {
      item.shell = shell(points, item.F);
      item.faces = gl && item.F.length ? buffer(item.shell.P, [3, 3]) : null;
      item.lines = strip(item.F.length ? item.shell.segments : polyline(triples(points)));
    } else if (item.kind === "line") item.lines = strip(polyline(triples(points)));
    else if (item.kind === "arrow") {
      const a = item.at, v = item.vector, h = Math.min(0.22, 0.028 * size / Math.hypot(...v)), w = item.width;
      const heads = item.turning ? [1, 1 - 0.8 * h] : [1];
      item.lines = strip([[a, sum(a, v, 1 - h), w, w], ...heads.map(k => [sum(a, v, k - h), sum(a, v, k), 4 * w, 0])]);
      item.tip = sum(a, v, 1 + h / 3);
    }
  };
  // ---- looking ----------------------------------------------------------------------------------------
  const up = unit(data.up), T = data.towards, eye = {}, middle = scaled(sum(...data.box), 0.5);
  const east = unit(cross(Math.abs(up[2]) > 0.9 ? [0, 1, 0] : [0, 0, 1], up)), north = cross(up, east);
  const axes = () => {
    const towards = sum(sum(scaled(east, Math.cos(eye.el) * Math.cos(eye.az)), north, Math.cos(eye.el) * Math.sin(eye.az)), up, Math.sin(eye.el));
    const right = unit([0, 1, 2].map(k => north[k] * Math.cos(eye.az) - east[k] * Math.sin(eye.az)));
    return [right, cross(towards, right), towards];
  };
  const home = () => {  // from where the box around everything just fits
    Object.assign(eye, {target: middle, el: Math.asin(dot(T, up)), az: Math.atan2(dot(T, north), dot(T, east))});
    const [r, u, t] = axes(), [w, h] = [stage.clientWidth || 1, stage.clientHeight || 1], f = FOCAL * Math.min(w / h, 1);
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map(k => sum([0, 1, 2].map(j => data.box[k >> j & 1][j]), middle, -1));
    eye.far = Math.max(size / 4, ...corners.map(c => Math.max(f * h / w * Math.abs(dot(c, r)) / 0.82, f * Math.abs(dot(c, u)) / 0.76) + dot(c, t)));
  };
  let seen, dark, waiting = false;
  const look = () => {
    const [r, u, t] = axes(), e = sum(eye.target, t, eye.far), near = eye.far * 0.02, far = eye.far + 20 * size;
    const wide = Math.min(canvas.width / canvas.height, 1), f = FOCAL * wide, a = f * canvas.height / canvas.width;
    const A = (far + near) / (near - far), B = 2 * far * near / (near - far), rows = [[r, a], [u, f]].map(([v, k]) => [...scaled(v, k), -k * dot(v, e)]);
    const depth = [...scaled(t, A), -A * dot(t, e) + B], w = [...scaled(t, -1), dot(t, e)];
    seen = new Float32Array([0, 1, 2, 3].flatMap(k => [rows[0][k], rows[1][k], depth[k], w[k]]));
    return [r, u, t, e];
  };
  const pixel = x => {
    const c = [0, 1, 2, 3].map(k => seen[k] * x[0] + seen[k + 4] * x[1] + seen[k + 8] * x[2] + seen[k + 12]);
    return [(c[0] / c[3] + 1) / 2 * canvas.clientWidth, (1 - c[1] / c[3]) / 2 * canvas.clientHeight];
  };
  const matrix = T => new Float32Array([T[0], T[3], T[6], 0, T[1], T[4], T[7], 0, T[2], T[5], T[8], 0, T[9], T[10], T[11], 1]);
  const ink = c => !dark ? rgb(c) : c === INK ? rgb("#dde4ec") : sum(scaled(rgb(c), 0.65), [1, 1, 1], 0.33);
  const visible = item => layers.get(item.layer).on;
  const paint = () => {
    waiting = false;
    const ratio = Math.min(window.devicePixelRatio || 1, 2), width = Math.round(stage.clientWidth * ratio), height = Math.round(stage.clientHeight * ratio);
    if (!gl || !width || !height) return;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const [r, u, t] = look(), light = unit(sum(sum(scaled(r, -0.35), u, 0.55), t, 0.76)), paper = rgb(dark ? "#15191e" : "#ffffff");
    gl.viewport(0, 0, width, height);
    gl.clearColor(...paper, 1);
    gl.depthMask(true);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    const faces = (item, pose) => {
      gl.useProgram(SOLID.p);
      gl.uniformMatrix4fv(SOLID.at.seen, false, seen);
      gl.uniformMatrix4fv(SOLID.at.pose, false, pose);
      gl.uniform3fv(SOLID.at.light, light);
      gl.uniform3fv(SOLID.at.towards, t);
      const picked = state.chosen === item.actor && (!state.spot || state.spot === item), colour = rgb(item.colour);
      gl.uniform4f(SOLID.at.colour, ...(picked ? sum(scaled(colour, 0.45), [1, 0.62, 0.1], 0.55) : colour), item.opacity);
      gl.bindVertexArray(item.faces.vao);
      gl.drawArrays(gl.TRIANGLES, 0, item.faces.count);
    };
    const lines = (held, pose, colour, opacity, wide, dash, near) => {
      if (!held || !held.count) return;
      gl.useProgram(LINES.p);
      gl.uniformMatrix4fv(LINES.at.seen, false, seen);
      gl.uniformMatrix4fv(LINES.at.pose, false, pose);
      gl.uniform2f(LINES.at.size, width, height);
      gl.uniform1f(LINES.at.width, wide * ratio);
      gl.uniform1f(LINES.at.near, near);
      gl.uniform1f(LINES.at.dash, dash ? 5 * ratio : 0);
      gl.uniform4f(LINES.at.colour, ...colour, opacity);
      gl.bindVertexArray(held.vao);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, held.count);
    };
    const point = (at, colour, radius, centre) => {
      gl.useProgram(DOTS.p);
      gl.uniformMatrix4fv(DOTS.at.seen, false, seen);
      gl.uniform3f(DOTS.at.at, ...at);
      gl.uniform1f(DOTS.at.size, 2 * radius * ratio);
      gl.uniform1f(DOTS.at.centre, centre ? 1 : 0);
      gl.uniform4f(DOTS.at.colour, ...colour, 1);
      gl.uniform4f(DOTS.at.paper, ...paper, 1);
      gl.drawArrays(gl.POINTS, 0, 1);
    };
    const all = data.actors.flatMap(actor => {
      const T = now(actor), pose = matrix(T);
      return actor.items.filter(visible).map(item => ({item, T, pose}));
    });
    const solid = all.filter(({item}) => item.faces && !item.ghost);
    gl.enable(gl.DEPTH_TEST);
    for (const {item, pose} of solid) if (item.opacity === 1) faces(item, pose);
    for (const {item, pose} of all) {
      const edges = item.kind === "surface" && item.F.length;
      if (edges && !item.ghost) lines(item.lines, pose, scaled(rgb(item.colour), dark ? 0.3 : 0.5), 0.9, 1, false, 1e-5);
      else if (item.lines && !edges && !item.front) lines(item.lines, pose, ink(item.colour), item.opacity, item.kind === "arrow" ? 1 : item.width, item.dashed, 2e-5);
    }
    gl.depthMask(false);
    gl.enable(gl.CULL_FACE);
    for (const side of [gl.FRONT, gl.BACK]) {
      gl.cullFace(side);
      for (const {item, pose} of solid) if (item.opacity < 1) faces(item, pose);
    }
    gl.disable(gl.CULL_FACE);
    gl.disable(gl.DEPTH_TEST);
    for (const {item, pose} of all) if (item.front || item.ghost) lines(item.lines, pose, ink(item.colour), item.opacity, item.ghost ? 1 : item.width, item.ghost || item.dashed, 0);
    for (const {item, T} of all) if (item.kind === "dot") point(placed(T, item.at), ink(item.colour), item.radius, false);
    for (const actor of data.actors) if (actor.body && actor.body[0] > 0) {
      const T = now(actor), picked = actor === state.chosen && !state.spot;
      if (layers.get("inertia ellipsoid").on) lines(actor.rings, matrix(T), ink(GREY), 0.9, 1.2, false, 0);
      if (layers.get("centre of mass").on) point(placed(T, actor.body.slice(1, 4)), picked ? [0.9, 0.45, 0] : ink(INK), picked ? 8 : 5.5, true);
    }
    for (const actor of data.actors) for (const item of actor.items) if (item.word) {
      const [x, y] = pixel(placed(now(actor), item.tip || item.at));
      item.word.hidden = !visible(item);
      item.word.style.transform = `translate(${x}px, ${y}px)`;
    }
  };
  const draw = () => {
    if (!waiting) requestAnimationFrame(paint);
    waiting = true;
  };

  // ---- hands ------------------------------------------------------------------------------------------
  const hands = new Map();
  let travelled = 0;
  const slide = (dx, dy) => {
    const [r, u] = axes(), k = 2 * eye.far / (FOCAL * Math.min(canvas.clientWidth, canvas.clientHeight));
    eye.target = sum(sum(eye.target, r, -dx * k), u, dy * k);
  };
  const zoom = k => { eye.far = Math.min(Math.max(eye.far * k, 0.05 * size), 20 * size); };
  canvas.addEventListener("pointerdown", e => {
    canvas.setPointerCapture(e.pointerId);
    if (!hands.size) travelled = 0;
    hands.set(e.pointerId, [e.clientX, e.clientY]);
  });
  canvas.addEventListener("pointermove", e => {
    const was = hands.get(e.pointerId);
    if (!was) return;
    const dx = e.clientX - was[0], dy = e.clientY - was[1];
    travelled += Math.abs(dx) + Math.abs(dy);
    if (hands.size > 1) {
      const other = [...hands].find(([id]) => id !== e.pointerId)[1], gap = p => Math.hypot(p[0] - other[0], p[1] - other[1]);
      zoom((gap(was) || 1) / (gap([e.clientX, e.clientY]) || 1));
      slide(dx / 2, dy / 2);
    } else if (e.shiftKey || e.buttons & 6) slide(dx, dy);
    else {
      eye.az -= dx * 0.008;
      eye.el = Math.min(Math.max(eye.el + dy * 0.008, -1.55), 1.55);
    }
    hands.set(e.pointerId, [e.clientX, e.clientY]);
    draw();
  });
  for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, e => {
    if (hands.delete(e.pointerId) && kind === "pointerup" && travelled < 5 && !hands.size) {
      const r = canvas.getBoundingClientRect();
      chosen(...pick(e.clientX - r.left, e.clientY - r.top));
    }
  });
  canvas.addEventListener("wheel", e => { e.preventDefault(); zoom(Math.exp(e.deltaY * 0.001)); draw(); }, {passive: false});
  canvas.addEventListener("contextmenu", e => e.preventDefault());
  canvas.addEventListener("dblclick", () => { home(); draw(); });
  canvas.addEventListener("keydown", e => {
    const turn = {ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1]}[e.key];
    if (turn) [eye.az, eye.el] = [eye.az + turn[0], Math.min(Math.max(eye.el + turn[1], -1.55), 1.55)];
    else if (e.key === "+" || e.key === "-") zoom(e.key === "+" ? 0.9 : 1.1);
    else return;
    e.preventDefault();
    draw();
  });
  const pick = (x, y) => {  // a centre of mass under the finger, or else the nearest surface on the ray through it
    const [r, u, t, e] = look(), w = canvas.clientWidth, h = canvas.clientHeight, f = FOCAL * Math.min(w / h, 1);
    const ray = sum(sum(scaled(t, -1), r, (2 * x / w - 1) * w / h / f), u, (1 - 2 * y / h) / f);
    let best = Infinity, found = [null, null], close = 9;
    for (const actor of data.actors) {
      const T = now(actor), o = back(T, sum(e, T.slice(9), -1)), d = back(T, ray);
      for (const item of actor.items) if (item.faces && visible(item) && !item.ghost) {
        const P = item.shell.P;
        for (let k = 0; k < P.length; k += 18) {
          const [a, b, c] = [0, 6, 12].map(j => [P[k + j], P[k + j + 1], P[k + j + 2]]), ab = sum(b, a, -1), ac = sum(c, a, -1);
          const n = cross(d, ac), det = dot(ab, n), s = sum(o, a, -1), p = dot(s, n) / det, m = cross(s, ab), q = dot(d, m) / det, l = dot(ac, m) / det;
          if (p >= 0 && q >= 0 && p + q <= 1 && l > 0 && l < best) [best, found] = [l, [actor, item]];
        }
      }
    }
    for (const actor of data.actors) if (actor.body && actor.body[0] > 0) {
      const at = pixel(placed(now(actor), actor.body.slice(1, 4))), gap = Math.hypot(at[0] - x, at[1] - y);
      if (gap < close) [close, found] = [gap, [actor, null]];
    }
    return found;
  };

  // ---- inertia ellipsoids ------------------------------------------------------------------------------
  const principal = I => {  // Jacobi's rotations: moments and axes of a symmetric tensor
    const A = [0, 3, 6].map(k => [...I.slice(k, k + 3)]), V = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    for (let sweep = 0; sweep < 30; sweep++) for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
      if (!A[p][q]) continue;
      const h = (A[q][q] - A[p][p]) / (2 * A[p][q]), t = (h < 0 ? -1 : 1) / (Math.abs(h) + Math.hypot(h, 1));
      const c = 1 / Math.hypot(t, 1), s = t * c;
      for (let k = 0; k < 3; k++) [A[k][p], A[k][q]] = [c * A[k][p] - s * A[k][q], s * A[k][p] + c * A[k][q]];
      for (let k = 0; k < 3; k++) [A[p][k], A[q][k]] = [c * A[p][k] - s * A[q][k], s * A[p][k] + c * A[q][k]];
      for (let k = 0; k < 3; k++) [V[k][p], V[k][q]] = [c * V[k][p] - s * V[k][q], s * V[k][p] + c * V[k][q]];
    }
    return [0, 1, 2].map(k => ({moment: A[k][k], axis: V.map(row => row[k])}));
  };
  const ellipsoid = actor => {  // sections of the homogeneous ellipsoid: a² = 5 (I₂ + I₃ − I₁) / 2m
    const b = actor.body, found = principal(b.slice(4)), all = found[0].moment + found[1].moment + found[2].moment;
    const semi = found.map(({moment, axis}) => scaled(axis, Math.sqrt(Math.max(2.5 * (all - 2 * moment) / b[0], 0))));
    freed(actor.rings);
    actor.rings = strip([[0, 1], [1, 2], [2, 0]].flatMap(([i, j]) => polyline(Array.from({length: 49}, (_, k) =>
      sum(sum(b.slice(1, 4), semi[i], Math.cos(k * Math.PI / 24)), semi[j], Math.sin(k * Math.PI / 24))))));
  };

  for (const actor of data.actors) for (const item of actor.items) {
    built(item, item.V);
    if (item.label) {
      item.word = document.createElement("span");
      item.word.textContent = item.label;
      if (item.kind !== "dot") item.word.style.color = item.colour;
      words.append(item.word);
    }
  }
  new ResizeObserver(draw).observe(stage);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  home();
  return {gl, canvas, eye, layers, built, freed, ellipsoid, draw, paint, look, pixel};
}
