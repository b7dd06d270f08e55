// Starts programs and ends all of them.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const started = new Set();

// start runs a server and returns the first match of pattern in its output.
export function start(program, args, options, pattern) {
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  started.add(child);
  return new Promise((resolve, reject) => {
    const said = [];
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        said.push(line);
        const found = line.match(pattern);
        if (found) resolve({ url: found[1], child, said });
      });
    }
    child.on("error", reject);
    child.on("exit", (code) => {
      started.delete(child);
      reject(new Error(`${program} ended with ${code}:\n${said.join("\n")}`));
    });
  });
}

// run runs a program to its end and returns its output.
export function run(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    started.add(child);
    const timer = setTimeout(() => child.kill("SIGKILL"), options.most ?? 120_000);
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (d) => (stdout += d));
    child.stderr.on("data", (d) => (stderr += d));
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      started.delete(child);
      resolve({ code: code ?? signal, stdout, stderr });
    });
  });
}

// stopAll stops the servers and returns how they ended.
export async function stopAll() {
  await Promise.all([...started].map((child) => new Promise((resolve) => {
    const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
    child.on("close", () => { clearTimeout(late); resolve(); });
    child.kill("SIGTERM");
  })));
}

process.on("exit", () => started.forEach((child) => child.kill("SIGKILL")));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));
