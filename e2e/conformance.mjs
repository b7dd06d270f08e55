// Runs the conformance suite of the protocol. Most scenarios run against fixtures behind blq's
// transports. Scenarios without fixtures run against blq itself.
import { join } from "node:path";
import { assert, check } from "./checks.mjs";
import { run } from "./processes.mjs";

const revisions = ["2025-11-25", "2026-07-28"];
const withoutFixtures = {
  "2025-11-25": ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "completion-complete", "dns-rebinding-protection"],
  "2026-07-28": ["tools-list", "resources-list", "prompts-list", "completion-complete", "dns-rebinding-protection", "caching",
    "http-header-validation", "sep-2164-resource-not-found", "server-sse-multiple-streams", "input-required-result-unsupported-methods"],
};

export async function conformance(tools, here, fixtures, blq) {
  const suite = (url, args) => run(process.execPath, [join(tools, "node_modules/.bin/conformance"), "server", "--url", url, ...args], { cwd: tools });
  for (const revision of revisions) {
    await check(`conformance ${revision}, all required scenarios`, async () => {
      const expected = join(here, `expected-${revision}.yml`);
      const out = await suite(fixtures, ["--requirements", revision, "--expected-failures", expected, "-o", join(tools, "out"), "--timeout", "20000"]);
      assert(out.code === 0, tail(out.stdout + out.stderr));
      const [, passed, failed] = out.stdout.match(/Total: (\d+) passed, (\d+) failed/) ?? [];
      return `${passed} checks passed, ${failed} are known to fail`;
    });
    for (const scenario of withoutFixtures[revision]) {
      await check(`conformance ${revision} of blq, ${scenario}`, async () => {
        const out = await suite(blq, ["--scenario", scenario, "--spec-version", revision, "-o", join(tools, "out", "blq-" + revision)]);
        assert(out.code === 0, tail(out.stdout + out.stderr));
      });
    }
  }
}

const tail = (text) => text.trimEnd().split("\n").slice(-40).join("\n");
