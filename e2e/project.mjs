// A project with a failing build, and the questions to ask a server about it.
import { createServer } from "node:http";
import { mkdtempSync, writeFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "./processes.mjs";
import { assert } from "./checks.mjs";

const good = "int twice(int n) { return 2 * n; }\n";
const bad = "int twice(int n) { return 2 * m; }\nint half(int n) { return n / 2 }\n";

// makeProject records a passing and two failing builds with the real compiler.
export async function makeProject(blq) {
  const dir = mkdtempSync(join(tmpdir(), "blq-e2e-"));
  const env = { ...process.env, BLQ_DIR: "", BLQ_MCP_DISABLED_TOOLS: "" };
  for (const [source, fails] of [[good, false], [bad, true], [bad, true]]) {
    writeFileSync(join(dir, "twice.c"), source);
    const built = await run(blq, ["run", "--quiet", "--name", "build", "--", "cc", "-Wall", "-c", "twice.c"], { cwd: dir, env });
    assert((built.code !== 0) === fails, `the build ended with ${built.code}:\n${built.stderr}`);
  }
  for (const [name, command] of [["build", "cc -Wall -c twice.c"], ["ok", "echo ok"], ["spare", "false"]]) {
    const registered = await run(blq, ["commands", "register", name, command], { cwd: dir, env });
    assert(registered.code === 0, registered.stderr);
  }
  const site = await serveManual();
  const added = await run(blq, ["docs", "add", "manual", `http://127.0.0.1:${site.address().port}/llms.txt`], { cwd: dir, env });
  assert(added.code === 0, added.stderr);
  const remove = () => {
    site.close();
    rmSync(dir, { recursive: true, force: true });
  };
  return { dir, env, remove };
}

// serveManual serves documentation that projects can add. A project that has added some gets the tools for it.
async function serveManual() {
  const site = createServer((_, answer) => {
    answer.setHeader("Content-Type", "text/plain");
    answer.end("# Manual\n\n## Install\n\nRun make install.\n");
  });
  await new Promise((listening) => site.listen(0, "127.0.0.1", listening));
  return site;
}

// calls are the arguments of each tool.
export const calls = {
  run: { command: "ok" },
  exec: { command: "echo hello" },
  cancel: { ref: "echo" }, // of a run that goes on: see startLong
  query: { sql: "SELECT ref_file, count(*) FROM blq_load_events() GROUP BY 1" },
  events: { severity: "error" },
  inspect: { ref: "build:2:1" },
  output: { ref: "build:2", tail: 5 },
  status: {},
  info: { ref: "build:2", context: 3 },
  history: { limit: 5 },
  tests: { show: 'failing' },
  diff: { run1: 1, run2: 2 },
  triage: { ref: "build:3" },
  find: { query: "install", source: "manual" },
  "list-sources": { filter: "manual" },
  "source-add": { alias: "manual", force: true },
  "run-command": { command: "validate" },
  "learn-blz": {},
  summarize: { ref: "build:3" },
  commands: {},
  register_command: { name: "ok", cmd: "echo ok" },
  unregister_command: { name: "spare" },
  clean: { mode: "prune", days: 10000, confirm: true },
};

// startLong are the arguments of exec for a run that cancel can end.
export const startLong = { command: "sleep 1000", wait: 0 };

// values are the variables of URI templates.
const values = {
  ref: "build%3A2%3A1", run_ref: "build%3A2", event_ref: "build%3A2%3A1", serial: "2", run_id: "2", source: "build",
  citation: "manual%3A3-5", severity: "error", run1: "1", run2: "2", name: "ok",
};

// expand expands a URI template and drops its query string.
export function expand(template) {
  const uri = template.replace(/\{\?.*\}$/, "").replace(/\{\+?(\w+)\}/g, (all, name) => values[name] ?? all);
  assert(!uri.includes("{"), `template ${template} has a variable without a value in e2e/project.mjs: add one`);
  return uri;
}
