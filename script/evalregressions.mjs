// Measures how often triage names the guilty change: evalregressions.mjs BLQ DIR [PROJECT]. The projects are in
// evalsuspects next to this file, in Go, Python, JavaScript, Java, Rust and C. At first the tests of a project pass. Then
// several harmless commits and one guilty commit follow. The guilty one changes a component and breaks the test of another
// component. docs/graph.md has the result. The script needs Go, pytest, Node.js, a JDK with JUnit 4, Cargo, and a C
// compiler with make.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const [blq, top, only] = process.argv.slice(2);
const folder = join(import.meta.dirname, "evalsuspects");

// read returns a project: its command, its files, and its commits.
function read(name) {
  const kit = { name, files: {}, harmless: [], guilty: [] };
  for (const part of readFileSync(join(folder, name), "utf8").split(/^-- /m).slice(1)) {
    const [title, ...lines] = part.split("\n");
    const head = title.replace(/ --$/, "");
    const text = lines.join("\n");
    const [word, ...message] = head.split(" ");
    if (head === "command") kit.command = text.trim().split(" ");
    else if (kit[word] instanceof Array) kit[word].push({ message: message.join(" "), edits: edits(text) });
    else kit.files[head] = text;
  }
  return kit;
}

// edits parses the replacements of a commit: "@ FILE", and for each "<<<", the old text, "===", the new text, ">>>".
function edits(text) {
  let file = "";
  return text.split(/^(?=@ |<<<$)/m).filter(Boolean).flatMap((part) => {
    if (part.startsWith("@ ")) return (file = part.slice(2).trim(), []);
    const [, old, now] = part.match(/^<<<\n([^]*?)\n===\n([^]*?)\n>>>\n$/);
    return [{ file, old, now }];
  });
}

let first = 0, three = 0, n = 0;
for (const name of readdirSync(folder).filter((f) => !only || f.startsWith(only)).sort()) {
  const kit = read(name);
  kit.guilty.forEach((guilty, i) => {
    const { rank, why } = measure(join(top, `${name.replace(/\.txtar$/, "")}-${i}`), kit, guilty, (i * 3 + n) % (kit.harmless.length + 1));
    n++;
    first += rank === 0 ? 1 : 0;
    three += rank >= 0 ? 1 : 0;
    console.log(`${name} ${guilty.message}: ${rank < 0 ? "not named" : `place ${rank + 1}`}  ${why}`);
  });
}
console.log(`${n} regressions: the guilty change is first in ${first}, among three in ${three}`);

// measure makes a repository in which commit number at is guilty. It returns its place in the suspects, or -1.
function measure(dir, kit, guilty, at) {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const env = { ...process.env, GOFLAGS: "-buildvcs=false", PYTHONDONTWRITEBYTECODE: "1", BLQ_SERVER: "",
    GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@example.org", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@example.org" };
  const git = (...args) => execFileSync("git", args, { cwd: dir, env, encoding: "utf8" }).trim();
  const test = () => spawnSync(blq, ["run", "--name", "test", "--", ...kit.command], { cwd: dir, env, encoding: "utf8" });
  const write = (name, text) => {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  };
  const commit = ({ message, edits }) => {
    for (const { file, old, now } of edits) {
      const before = readFileSync(join(dir, file), "utf8");
      if (!before.includes(old)) throw new Error(`${dir}: ${file} has no ${old}`);
      write(file, before.replace(old, () => now));
    }
    git("add", "-A");
    git("commit", "-qm", message);
    return git("rev-parse", "HEAD");
  };
  git("init", "-q", "-b", "main");
  for (const [name, text] of Object.entries({ ".gitignore": ".lq/\n", ...kit.files })) write(name, text);
  commit({ message: "begin", edits: [] });
  const green = test();
  if (green.status !== 0) throw new Error(`${dir}: tests fail before: ${green.stdout}${green.stderr}`);
  const order = kit.harmless.toSpliced(at, 0, guilty);
  const shas = order.map(commit);
  if (test().status === 0) throw new Error(`${dir}: tests pass`);
  const suspects = JSON.parse(execFileSync(blq, ["triage", "--json"], { cwd: dir, env, encoding: "utf8" })).suspects ?? [];
  const rank = suspects.findIndex((s) => s.commit === shas[at]);
  return { rank, why: suspects.map((s) => `${s.score} ${order[shas.indexOf(s.commit)]?.message}: ${s.why}`).join(" | ") };
}
