"use strict";
// The stage of a scene: WebGL 2, no libraries, no network.
// It draws the actors where `now(actor)` says they are; `state.chosen`, or the item `state.spot` of it, stands out.
function steinerStage(stage, data, state, now) {
  const {dot, cross, sum, scaled, unit, placed, polyline, triples, shell, arrow, rings} = steinerShapes;
  const INK = "#1d2733", GREY = "#6b7785", FOCAL = 1 / Math.tan(Math.PI / 12);
  const rgb = c => [1, 3, 5].map(k => parseInt(c.slice(k, k + 2), 16) / 255);
  const canvas = document.createElement("canvas"), words = document.createElement("div");
  words.className = "words";
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", data.title);
  stage.append(canvas, words);
  const gl = canvas.getContext("webgl2", {alpha: false, antialias: true, preserveDrawingBuffer: true});
  const layers = new Map(data.layers.map(l => [l.name, l]));
  const span = v => [Math.min, Math.max].map(f => f(...data.outline.map(x => dot(x, v))));
  const size = Math.hypot(...[[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(v => span(v)[1] - span(v)[0])) || 1;

  // ---- what is drawn ----------------------------------------------------------------------------------
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
  const SOLID = gl && program(`layout(location=0) in vec3 x; layout(location=1) in vec3 n;
    uniform mat4 seen, pose; out vec3 N;
    void main() { N = mat3(pose) * n; gl_Position = seen * pose * vec4(x, 1.); }`,
  `in vec3 N; uniform vec3 light, towards; uniform vec4 colour; out vec4 o;
    void main() { vec3 n = normalize(N); n *= sign(dot(n, towards) + 1e-6);
      float shine = pow(max(dot(n, normalize(light + towards)), 0.), 40.);
      o = vec4(colour.rgb * (.6 + .46 * max(dot(n, light), 0.)) + .12 * shine, colour.a); }`);
  const LINES = gl && program(`layout(location=0) in vec3 a; layout(location=1) in vec3 b;
    layout(location=2) in vec2 wide;
    uniform mat4 seen, pose; uniform vec2 size; uniform float width, near; out float along;
    void main() { vec4 A = seen * pose * vec4(a, 1.), B = seen * pose * vec4(b, 1.); A /= A.w; B /= B.w;
      vec2 d = (B.xy - A.xy) * size;
      float l = length(d), e = float(gl_VertexID / 2), s = float(gl_VertexID % 2) * 2. - 1.;
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
  const strip = segments => gl && buffer(new Float32Array(segments.flatMap(s => s.flat())), [3, 3, 2]);
  const built = (item, points) => {  // (again) the buffers of an item
    freed(item.faces);
    freed(item.lines);
    if (item.kind === "surface") {
      item.shell = shell(points, item.F);
      item.faces = gl && item.F.length ? buffer(item.shell.P, [3, 3]) : null;
      item.lines = strip(item.F.length ? item.shell.segments : polyline(triples(points)));
    } else if (item.kind === "line") item.lines = strip(polyline(triples(points)));
    else if (item.kind === "arrow") {
      const {segments, tip} = arrow(item, 0.028 * size);
      [item.lines, item.tip] = [strip(segments), tip];
    }
  };

  // ---- looking ----------------------------------------------------------------------------------------
  const up = unit(data.up), T = data.towards, eye = {};
  const east = unit(cross(Math.abs(up[2]) > 0.9 ? [0, 1, 0] : [0, 0, 1], up)), north = cross(up, east);
  const axes = () => {
    const level = sum(scaled(east, Math.cos(eye.az)), north, Math.sin(eye.az));
    const towards = sum(scaled(level, Math.cos(eye.el)), up, Math.sin(eye.el)), right = cross(up, level);
    return [right, cross(towards, right), towards];
  };
  const home = () => {  // from where everything just fits, between the title and the clock
    Object.assign(eye, {el: Math.asin(dot(T, up)), az: Math.atan2(dot(T, north), dot(T, east))});
    const [r, u, t] = axes(), [w, h] = [stage.clientWidth || 1, stage.clientHeight || 1], f = FOCAL * Math.min(w / h, 1);
    eye.target = [r, u, t].reduce((x, v) => sum(x, v, (span(v)[0] + span(v)[1]) / 2), [0, 0, 0]);
    const needed = x => {
      const c = sum(x, eye.target, -1);
      return f * Math.max(Math.abs(dot(c, r)) * h / w / 0.88, Math.abs(dot(c, u)) / 0.78) + dot(c, t);
    };
    eye.far = Math.max(size / 4, ...data.outline.map(needed));
  };
  let seen, dark, waiting = false;
  const look = () => {
    const [r, u, t] = axes(), e = sum(eye.target, t, eye.far), near = eye.far * 0.02, far = eye.far + 20 * size;
    const wide = Math.min(canvas.width / canvas.height, 1), f = FOCAL * wide, a = f * canvas.height / canvas.width;
    const A = (far + near) / (near - far), B = 2 * far * near / (near - far);
    const rows = [[r, a], [u, f]].map(([v, k]) => [...scaled(v, k), -k * dot(v, e)]);
    const depth = [...scaled(t, A), -A * dot(t, e) + B], w = [...scaled(t, -1), dot(t, e)];
    seen = new Float32Array([0, 1, 2, 3].flatMap(k => [rows[0][k], rows[1][k], depth[k], w[k]]));
    return [r, u, t, e];
  };
  const pixel = x => {
    const c = [0, 1, 2, 3].map(k => seen[k] * x[0] + seen[k + 4] * x[1] + seen[k + 8] * x[2] + seen[k + 12]);
    return [(c[0] / c[3] + 1) / 2 * canvas.clientWidth, (1 - c[1] / c[3]) / 2 * canvas.clientHeight];
  };
  const matrix = T => new Float32Array([0, 1, 2].flatMap(k => [T[k], T[k + 3], T[k + 6], 0]).concat([T[9], T[10], T[11], 1]));
  const ink = c => !dark ? rgb(c) : c === INK ? rgb("#dde4ec") : sum(scaled(rgb(c), 0.65), [1, 1, 1], 0.33);
  const visible = item => layers.get(item.layer).on;
  const paint = () => {
    waiting = false;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [stage.clientWidth, stage.clientHeight].map(x => Math.round(x * ratio));
    if (!gl || !width || !height) return;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    dark = !state.printed && matchMedia("(prefers-color-scheme: dark)").matches;
    const paper = rgb(dark ? "#15191e" : "#ffffff");
    const [r, u, t] = look(), light = unit(sum(sum(scaled(r, -0.35), u, 0.55), t, 0.76));
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
      const toned = picked ? sum(scaled(colour, 0.45), [1, 0.62, 0.1], 0.55) : colour;
      gl.uniform4f(SOLID.at.colour, ...toned, item.opacity);
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
    gl.enable(gl.POLYGON_OFFSET_FILL);
    solid.forEach(({item, pose}, k) => {  // of faces in one plane the earlier thing's is seen, without flicker
      gl.polygonOffset(0, 4 * (k % 32));
      if (item.opacity === 1) faces(item, pose);
    });
    gl.disable(gl.POLYGON_OFFSET_FILL);
    for (const {item, pose} of all) {
      if (item.front || item.ghost) continue;
      if (item.faces) lines(item.lines, pose, scaled(rgb(item.colour), dark ? 0.3 : 0.5), 0.9, 1, false, 1e-5);
      else lines(item.lines, pose, ink(item.colour), item.opacity, item.width, item.dashed, 2e-5);
    }
    gl.depthMask(false);
    gl.enable(gl.CULL_FACE);
    for (const side of [gl.FRONT, gl.BACK]) {
      gl.cullFace(side);
      for (const {item, pose} of solid) if (item.opacity < 1) faces(item, pose);
    }
    gl.disable(gl.CULL_FACE);
    gl.disable(gl.DEPTH_TEST);
    for (const {item, T, pose} of all) {
      const wide = item.ghost || item.kind === "arrow" ? 1 : item.width;
      if (item.front || item.ghost) lines(item.lines, pose, ink(item.colour), item.opacity, wide, item.ghost || item.dashed, 0);
      if (item.kind === "dot") point(placed(T, item.at), ink(item.colour), item.radius, false);
    }
    for (const actor of data.actors) if (actor.body && actor.body[0] > 0) {
      const T = now(actor), picked = actor === state.chosen && !state.spot, at = placed(T, actor.body.slice(1, 4));
      if (layers.get("inertia ellipsoid").on) lines(actor.rings, matrix(T), ink(GREY), 0.9, 1.2, false, 0);
      if (layers.get("centre of mass").on) point(at, picked ? [0.9, 0.45, 0] : ink(INK), picked ? 8 : 5.5, true);
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

  const ellipsoid = actor => { actor.rings = strip(rings(actor.body)); };
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
  return {gl, canvas, eye, size, FOCAL, axes, home, look, pixel, visible, built, freed, ellipsoid, draw, paint};
}
