"use strict";
// Vectors, poses (12 numbers: R by rows, then p) and what is drawn of shapes: corners, and segments [a, b, width, width].
const steinerShapes = (() => {
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const sum = (a, b, k = 1) => [a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]];
  const scaled = (a, k) => [a[0] * k, a[1] * k, a[2] * k];
  const unit = a => scaled(a, 1 / (Math.hypot(...a) || 1));
  const turned = (T, v) => [0, 3, 6].map(k => T[k] * v[0] + T[k + 1] * v[1] + T[k + 2] * v[2]);
  const back = (T, v) => [0, 1, 2].map(k => T[k] * v[0] + T[k + 3] * v[1] + T[k + 6] * v[2]);
  const placed = (T, v) => sum(turned(T, v), T.slice(9));
  const CREASE = Math.cos(Math.PI / 6), WIDE = 2 ** 32;
  const polyline = points => points.slice(1).map((p, k) => [points[k], p, 1, 1]);
  const triples = flat => Array.from({length: flat.length / 3}, (_, k) => [...flat.slice(3 * k, 3 * k + 3)]);
  const shell = (V, F) => {  // corners with normals that are smooth up to a crease, and the creases
    const vertex = k => [V[3 * k], V[3 * k + 1], V[3 * k + 2]], count = F.length / 3, P = new Float32Array(6 * F.length);
    const first = new Int32Array(V.length / 3).fill(-1), next = new Int32Array(F.length);  // corners around a vertex
    const N = [], open = new Map(), lines = [];
    for (let f = 0; f < count; f++) {
      const [a, b, c] = [0, 1, 2].map(k => vertex(F[3 * f + k])), n = cross(sum(b, a, -1), sum(c, a, -1));
      N.push({n, unit: unit(n)});
      for (let k = 0; k < 3; k++) {
        const i = 3 * f + k, u = F[i], v = F[3 * f + (k + 1) % 3], key = Math.min(u, v) * WIDE + Math.max(u, v);
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
    for (const key of open.keys()) lines.push(Math.floor(key / WIDE), key % WIDE);
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
  const arrow = ({at, vector, width, turning}, longest) => {  // a shaft and one head, or two
    const h = Math.min(0.22, longest / Math.hypot(...vector)), along = k => sum(at, vector, k);
    const heads = (turning ? [1, 1 - 0.8 * h] : [1]).map(k => [along(k - h), along(k), 4 * width, 0]);
    return {segments: [[at, along(1 - h), width, width], ...heads], tip: along(1 + h / 3)};
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
  const rings = body => {  // sections of the homogeneous ellipsoid: a² = 5 (I₂ + I₃ − I₁) / 2m
    const found = principal(body.slice(4)), all = found[0].moment + found[1].moment + found[2].moment;
    const semi = found.map(({moment, axis}) => scaled(axis, Math.sqrt(Math.max(2.5 * (all - 2 * moment) / body[0], 0))));
    const at = (i, j, turn) => sum(sum(body.slice(1, 4), semi[i], Math.cos(turn)), semi[j], Math.sin(turn));
    return [[0, 1], [1, 2], [2, 0]].flatMap(([i, j]) =>
      polyline(Array.from({length: 49}, (_, k) => at(i, j, k * Math.PI / 24))));
  };
  return {dot, cross, sum, scaled, unit, back, placed, polyline, triples, shell, arrow, rings};
})();
