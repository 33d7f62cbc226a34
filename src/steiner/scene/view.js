"use strict";
// A scene in a page: WebGL 2, no libraries, no network.  The scene is the JSON in root's first script; `kernel`, if
// the scene is a robot's, computes its poses, efforts, energies and bodies.  Poses are 12 numbers: R by rows, then p.
function steinerView(root, kernel) {
  const data = JSON.parse(root.querySelector("script").textContent), robot = data.robot;
  const CREASE = Math.cos(Math.PI / 6), INK = "#1d2733", GREY = "#6b7785";
  const make = (tag, parent, text, more) => {
    const e = Object.assign(document.createElement(tag), more);
    if (text !== undefined) e.textContent = text;
    if (parent) parent.append(e);
    return e;
  };
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const sum = (a, b, k = 1) => [a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]];
  const scaled = (a, k) => [a[0] * k, a[1] * k, a[2] * k];
  const unit = a => scaled(a, 1 / (Math.hypot(...a) || 1));
  const turned = (T, v) => [0, 3, 6].map(k => T[k] * v[0] + T[k + 1] * v[1] + T[k + 2] * v[2]);
  const back = (T, v) => [0, 1, 2].map(k => T[k] * v[0] + T[k + 3] * v[1] + T[k + 6] * v[2]);
  const placed = (T, v) => sum(turned(T, v), T.slice(9));
  const told = x => Number.isFinite(x) ? String(Number(x.toPrecision(4))).replace("-", "−") : "–";
  const rgb = c => [1, 3, 5].map(k => parseInt(c.slice(k, k + 2), 16) / 255);
  const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer;

  // ---- the page ---------------------------------------------------------------------------------------
  const stage = make("div", root, undefined, {className: "stage"}), panel = make("div", root, undefined, {className: "panel"});
  const canvas = make("canvas", stage, undefined, {tabIndex: 0}), words = make("div", stage, undefined, {className: "words"});
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", data.title);
  const head = make("header", stage);
  make("h1", head, data.title);
  for (const note of data.notes) make("p", head, note);
  const gl = canvas.getContext("webgl2", {antialias: true, preserveDrawingBuffer: true});
  if (!gl) make("p", head, "This page needs WebGL 2 to show the scene; your browser has it switched off.");
  const section = (title, folded) => {
    const s = make("details", panel, undefined, {open: !folded});
    make("summary", s, title);
    return s;
  };

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
      const a = item.at, v = item.vector, tip = sum(a, v), neck = k => sum(a, v, k), w = 4 * item.width;
      const heads = item.turning ? [1, 0.82] : [1];
      item.lines = strip([[a, neck(0.8), item.width, item.width], ...heads.map(k => [neck(k - 0.22), neck(k), w, 0])]);
      item.tip = sum(tip, v, 0.06);
    }
  };
  const layers = new Map(data.layers.map(l => [l.name, {...l, items: []}]));
  for (const actor of data.actors) {
    actor.poses = new Float64Array(bytes(actor.poses));
    for (const item of actor.items) {
      item.actor = actor;
      if (item.points) item.V = new Float32Array(bytes(item.points));
      if (item.faces) item.F = item.wide ? new Uint32Array(bytes(item.faces)) : new Uint16Array(bytes(item.faces));
      item.slopes = (item.slopes || []).map(s => s && new Float32Array(bytes(s)));
      delete item.faces;
      built(item, item.V);
      if (item.label) item.word = make("span", words, item.label, {style: `color:${item.kind === "dot" ? "inherit" : item.colour}`});
    }
  }

  // ---- what is computed -------------------------------------------------------------------------------
  const state = {t: 0, playing: false, chosen: null, spot: null};
  const outputs = robot && robot.outputs.map(o => new Float64Array(o.size)), result = {};
  if (robot) {
    robot.outputs.forEach((o, k) => { result[o.name] = outputs[k]; });
    for (const name of ["q", "qd", "qdd"]) state[name] = new Float64Array(robot.joints.length);
    state.payload = new Float64Array(1);
    state.gravity = new Float64Array(robot.gravity);
    state.parameters = robot.parameters.map(p => new Float64Array([p.value]));
  }
  const frame = () => {  // the row of the present time, and how far it is to the next
    let k = 0;
    while (k + 2 < data.times.length && data.times[k + 1] <= state.t) k++;
    const span = data.times[k + 1] - data.times[k];
    return [k, span > 0 ? Math.min(Math.max((state.t - data.times[k]) / span, 0), 1) : 0];
  };
  const travel = () => {
    if (!robot) return;
    const [k, part] = frame(), n = robot.joints.length;
    for (const name of ["q", "qd", "qdd"]) {
      const rows = robot[name];
      if (rows.length) for (let j = 0; j < n; j++)
        state[name][j] = part && rows[k + 1] ? rows[k][j] * (1 - part) + rows[k + 1][j] * part : rows[k][j];
    }
  };
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
  const now = actor => {
    if (actor.pose) return actor.pose;
    const k = actor.poses.length > 12 ? frame()[0] + Math.round(frame()[1]) : 0;
    return actor.poses.slice(12 * k, 12 * k + 12);
  };
  let shapes = "";
  const compute = () => {
    if (robot) {
      kernel(state.q, state.qd, state.qdd, state.payload, state.gravity, ...state.parameters, ...outputs);
      robot.links.forEach((actor, k) => { data.actors[actor].pose = result.poses.slice(12 * k, 12 * k + 12); });
      const key = state.parameters.join();
      robot.loads.forEach((actor, k) => { if (actor !== null) data.actors[actor].body = [...result.bodies.slice(13 * k, 13 * k + 13)]; });
      if (key !== shapes) {
        for (const actor of data.actors) for (const item of actor.items) if (item.slopes.some(s => s))
          built(item, item.V.map((x, i) => state.parameters.reduce((y, p, k) =>
            item.slopes[k] ? y + item.slopes[k][i] * (p[0] - robot.parameters[k].value) : y, x)));
        for (const actor of data.actors) actor.rings = freed(actor.rings) && null;
      }
      shapes = key;
    }
    for (const actor of data.actors) if (actor.body && actor.body[0] > 0 && !actor.rings) ellipsoid(actor);
    for (const show of shown) show();
    draw();
  };

  // ---- looking ----------------------------------------------------------------------------------------
  const up = unit(data.up), size = Math.hypot(...sum(data.box[1], data.box[0], -1)) || 1, T = data.towards;
  const east = unit(cross(Math.abs(up[2]) > 0.9 ? [0, 1, 0] : [0, 0, 1], up)), north = cross(up, east);
  const home = {target: scaled(sum(...data.box), 0.5), far: 1.9 * size, el: Math.asin(dot(T, up)), az: Math.atan2(dot(T, north), dot(T, east))};
  const eye = {...home};
  const axes = () => {
    const towards = sum(sum(scaled(east, Math.cos(eye.el) * Math.cos(eye.az)), north, Math.cos(eye.el) * Math.sin(eye.az)), up, Math.sin(eye.el));
    const right = unit([0, 1, 2].map(k => north[k] * Math.cos(eye.az) - east[k] * Math.sin(eye.az)));
    return [right, cross(towards, right), towards];
  };
  const FOCAL = 1 / Math.tan(Math.PI / 12);
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
  const ink = c => rgb(dark && c === INK ? "#dde4ec" : dark && c === GREY ? "#9fabb8" : c);
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
      choose(...pick(e.clientX - r.left, e.clientY - r.top));
    }
  });
  canvas.addEventListener("wheel", e => { e.preventDefault(); zoom(Math.exp(e.deltaY * 0.001)); draw(); }, {passive: false});
  canvas.addEventListener("contextmenu", e => e.preventDefault());
  canvas.addEventListener("dblclick", () => { Object.assign(eye, home); draw(); });
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

  // ---- the panel --------------------------------------------------------------------------------------
  const shown = [];
  const range = (parent, name, unit, lo, hi, get, set) => {
    const row = make("label", parent, undefined, {className: "row"});
    make("span", row, name, {className: "name", title: name});
    const number = make("input", row, undefined, {type: "number", step: "any"});
    make("span", row, unit, {className: "unit"});
    const slider = make("input", row, undefined, {type: "range", min: lo, max: hi, step: "any"});
    const given = x => { if (Number.isFinite(x)) { set(x); compute(); } };
    slider.addEventListener("input", () => given(slider.valueAsNumber));
    number.addEventListener("change", () => given(number.valueAsNumber));
    shown.push(() => {
      if (document.activeElement !== slider || slider.valueAsNumber !== get()) slider.value = get();
      number.value = Number(get().toPrecision(5));
    });
    slider.setAttribute("aria-label", name);
    number.setAttribute("aria-label", `${name}, ${unit}`);
    return row;
  };
  if (robot && robot.joints.length) {
    const joints = section("Joints");
    robot.joints.forEach((joint, k) => {
      const row = range(joints, joint.name, joint.turns ? "rad" : "m", joint.lower, joint.upper, () => state.q[k], x => {
        state.q[k] = x;
        state.playing = false;
      });
      const meter = make("span", row, undefined, {className: "meter"}), bar = make("i", meter), text = make("b", meter);
      shown.push(() => {
        const tau = result.tau[k], limit = joint.effort, unit = joint.turns ? "N m" : "N";
        text.textContent = limit ? `${told(tau)} of ${told(limit)} ${unit}` : `${told(tau)} ${unit}`;
        bar.style.width = limit ? `${Math.min(Math.abs(tau) / limit, 1) * 100}%` : "0";
        meter.classList.toggle("over", limit > 0 && Math.abs(tau) > limit);
      });
    });
    const energy = make("p", joints, undefined, {className: "fine"});
    shown.push(() => {
      energy.textContent = `kinetic energy ${told(result.kinetic[0])} J, potential energy ${told(result.potential[0])} J`;
    });
    const load = section("Load and gravity");
    range(load, `mass at ${robot.tip}`, "kg", 0, robot.heaviest, () => state.payload[0], x => { state.payload[0] = x; });
    ["x", "y", "z"].forEach((axis, k) => range(load, `gravity ${axis}`, "m/s²", -20, 20, () => state.gravity[k], x => { state.gravity[k] = x; }));
    if (robot.parameters.length) {
      const drawn = section("Parameters of the drawing");
      robot.parameters.forEach((p, k) =>
        range(drawn, p.name, "", p.lower, p.upper, () => state.parameters[k][0], x => { state.parameters[k][0] = x; }));
    }
    const rates = section("Velocities and accelerations", true);
    robot.joints.forEach((joint, k) => {
      const unit = joint.turns ? "rad" : "m", top = joint.velocity || 3;
      range(rates, `${joint.name} velocity`, `${unit}/s`, -top, top, () => state.qd[k], x => { state.qd[k] = x; });
      range(rates, `${joint.name} acceleration`, `${unit}/s²`, -10, 10, () => state.qdd[k], x => { state.qdd[k] = x; });
    });
  }
  const table = parent => {
    const t = make("table", parent);
    return rows => t.replaceChildren(...rows.map(([name, ...cells]) => {
      const tr = make("tr");
      make("th", tr, name);
      for (const c of cells) make("td", tr, c);
      return tr;
    }));
  };
  const bodies = data.actors.filter(a => a.body);
  const numbers = section("Body"), chooser = make("select", numbers), written = table(numbers);
  chooser.setAttribute("aria-label", "body");
  make("option", chooser, bodies.length ? "click a body, or choose one" : "no body has a mass");
  for (const actor of bodies) make("option", chooser, actor.name);
  const choose = (actor, item) => {
    [state.chosen, state.spot] = [actor, item && item.body ? item : null];
    compute();
  };
  chooser.addEventListener("change", () => choose(bodies[chooser.selectedIndex - 1] || null, null));
  shown.push(() => {
    const b = state.spot ? state.spot.body : state.chosen && state.chosen.body, rows = [];
    chooser.selectedIndex = bodies.indexOf(state.chosen) + 1;
    if (state.chosen) rows.push(["name", state.spot ? state.spot.title : state.chosen.name]);
    if (b) rows.push(["mass, kg", told(b[0])], ["centre, m", ...b.slice(1, 4).map(told)],
      ...[0, 1, 2].map(k => [k ? "" : "tensor, kg m²", ...b.slice(4 + 3 * k, 7 + 3 * k).map(told)]));
    written(rows);
  });
  if (result.M) {
    const write = table(section("Mass matrix", true));
    shown.push(() => write(robot.joints.map((j, k) => [j.name, ...[...result.M.slice(k * robot.joints.length, (k + 1) * robot.joints.length)].map(told)])));
  }
  const legend = section("Shown");
  for (const layer of layers.values()) {
    const row = make("label", legend, undefined, {className: "layer"});
    const box = make("input", row, undefined, {type: "checkbox", checked: layer.on});
    make("i", row, undefined, {style: layer.colour ? `background:${layer.colour}` : "visibility:hidden"});
    make("span", row, layer.name);
    box.addEventListener("change", () => { layer.on = box.checked; draw(); });
  }
  if (data.times.length > 1) {
    const last = data.times[data.times.length - 1], bar = make("div", stage, undefined, {className: "time"});
    const button = make("button", bar, "▶"), slider = make("input", bar, undefined, {type: "range", min: data.times[0], max: last, step: "any"});
    const clock = make("span", bar);
    slider.setAttribute("aria-label", "time");
    state.t = data.times[0];
    let before = 0;
    const tick = stamp => {
      if (!state.playing) return compute();
      state.t += before ? (stamp - before) / 1000 : 0;
      before = stamp;
      if (state.t > last) state.t = data.times[0];
      travel();
      compute();
      requestAnimationFrame(tick);
    };
    button.addEventListener("click", () => {
      state.playing = !state.playing;
      before = 0;
      requestAnimationFrame(tick);
    });
    slider.addEventListener("input", () => { [state.playing, state.t] = [false, slider.valueAsNumber]; travel(); compute(); });
    shown.push(() => {
      button.textContent = state.playing ? "❚❚" : "▶";
      button.setAttribute("aria-label", state.playing ? "pause" : "play");
      slider.value = state.t;
      clock.textContent = `${state.t.toFixed(2)} s`;
    });
  }
  new ResizeObserver(draw).observe(stage);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  root.steiner = {data, state, result, eye, compute, choose, pixel, now};
  travel();
  compute();
  paint();
}
