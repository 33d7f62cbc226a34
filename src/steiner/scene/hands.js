"use strict";
// What hands do on a stage: turn, move, bring nearer (mouse, fingers, keys); `chosen(actor, item)` hears what is clicked.
function steinerHands(stage, data, now, chosen) {
  const {dot, cross, sum, scaled, back, placed} = steinerShapes, {canvas, eye, axes, home, draw, look, pixel, size} = stage;
  const hands = new Map();
  let travelled = 0, before = {};
  const slide = (dx, dy) => {
    const [r, u] = axes(), k = 2 * eye.far / (stage.FOCAL * Math.min(canvas.clientWidth, canvas.clientHeight));
    eye.target = sum(sum(eye.target, r, -dx * k), u, dy * k);
  };
  const zoom = k => { eye.far = Math.min(Math.max(eye.far * k, 0.05 * size), 20 * size); };
  canvas.addEventListener("pointerdown", e => {
    canvas.setPointerCapture(e.pointerId);
    if (!hands.size) [travelled, before] = [0, {...eye}];
    hands.set(e.pointerId, [e.clientX, e.clientY]);
  });
  canvas.addEventListener("pointermove", e => {
    const was = hands.get(e.pointerId);
    if (!was) return;
    const dx = e.clientX - was[0], dy = e.clientY - was[1];
    travelled += Math.abs(dx) + Math.abs(dy);
    if (hands.size > 1) {
      const other = [...hands].find(([id]) => id !== e.pointerId)[1];
      const gap = p => Math.hypot(p[0] - other[0], p[1] - other[1]);
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
    const held = hands.delete(e.pointerId);
    if (held && kind === "pointercancel") {  // the page scrolls instead
      Object.assign(eye, before);
      draw();
    } else if (held && travelled < 5 && !hands.size) {
      const r = canvas.getBoundingClientRect();
      chosen(...pick(e.clientX - r.left, e.clientY - r.top));
    }
  });
  // on a page that scrolls, the wheel is the page's until the view was touched (as a finger that goes up or down is)
  const scrolls = () => document.documentElement.scrollHeight > innerHeight + 1;
  canvas.addEventListener("wheel", e => {
    if (!e.ctrlKey && scrolls() && canvas.getRootNode().activeElement !== canvas) return;
    e.preventDefault();
    zoom(Math.exp(e.deltaY * 0.001));
    draw();
  }, {passive: false});
  canvas.addEventListener("contextmenu", e => e.preventDefault());
  canvas.addEventListener("dblclick", () => { home(); draw(); });
  canvas.addEventListener("keydown", e => {
    const turn = {ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1]}[e.key];
    if (turn) [eye.az, eye.el] = [eye.az + turn[0], Math.min(Math.max(eye.el + turn[1], -1.55), 1.55)];
    else if (e.key === "+" || e.key === "-") zoom(e.key === "+" ? 0.9 : 1.1);
    else if (e.key === "Home") home();
    else return;
    e.preventDefault();
    draw();
  });
  const pick = (x, y) => {  // a centre of mass under the finger, or else the nearest surface on the ray through it
    const [r, u, t, e] = look(), w = canvas.clientWidth, h = canvas.clientHeight, f = stage.FOCAL * Math.min(w / h, 1);
    const ray = sum(sum(scaled(t, -1), r, (2 * x / w - 1) * w / h / f), u, (1 - 2 * y / h) / f);
    let best = Infinity, found = [null, null], close = 9;
    for (const actor of data.actors) {
      const T = now(actor), o = back(T, sum(e, T.slice(9), -1)), d = back(T, ray);
      for (const item of actor.items) if (item.faces && stage.visible(item) && !item.ghost) {
        const P = item.shell.P;
        for (let k = 0; k < P.length; k += 18) {
          const [a, b, c] = [0, 6, 12].map(j => [P[k + j], P[k + j + 1], P[k + j + 2]]);  // Möller and Trumbore, 1997
          const ab = sum(b, a, -1), ac = sum(c, a, -1), s = sum(o, a, -1), n = cross(d, ac), m = cross(s, ab), det = dot(ab, n);
          const p = dot(s, n) / det, q = dot(d, m) / det, l = dot(ac, m) / det;
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
}
