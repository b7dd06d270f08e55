// Runs checks, a few at a time, and keeps their results.
const results = [];

// check runs a check. A check fails by throwing.
export async function check(name, body) {
  const begun = performance.now();
  try {
    const note = await body();
    results.push({ name, ok: true });
    console.log(`ok    ${name}${note ? ": " + note : ""} (${Math.round(performance.now() - begun)} ms)`);
  } catch (e) {
    results.push({ name, ok: false });
    console.log(`FAIL  ${name}\n${String(e.message ?? e).replace(/^/gm, "      ")}`);
  }
}

// each runs a function for all items, n at a time.
export async function each(n, items, body) {
  const rest = [...items];
  await Promise.all(Array.from({ length: n }, async () => {
    while (rest.length > 0) await body(rest.shift());
  }));
}

export function assert(holds, message) {
  if (!holds) throw new Error(message);
}

// finish prints the number of checks and returns the exit code.
export function finish() {
  const failed = results.filter((r) => !r.ok).length;
  console.log(`${results.length - failed} checks passed, ${failed} failed`);
  return failed > 0 || results.length === 0 ? 1 : 0;
}
