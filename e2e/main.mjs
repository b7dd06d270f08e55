// Runs stock clients against blq: node main.mjs TOOLS BLQ FIXTURES. TOOLS is a folder with the
// clients' node_modules; BLQ and FIXTURES are programs.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { finish } from "./checks.mjs";
import { client } from "./client.mjs";
import { conformance } from "./conformance.mjs";
import { inspector } from "./inspector.mjs";
import { start, stopAll } from "./processes.mjs";
import { makeProject } from "./project.mjs";

const [tools, blq, fixtures] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const project = await makeProject(blq);
try {
  const fixture = await start(fixtures, [], {}, /(http:\S+)/);
  const served = await start(blq, ["mcp", "serve", "--transport", "http", "--port", "0"], { cwd: project.dir, env: project.env }, /serving MCP at (\S+)\/mcp/);
  await conformance(tools, here, fixture.url, `${served.url}/mcp`);
  await client(tools, project, served.url, blq);
  await inspector(tools, project, served.url, blq);
} finally {
  await stopAll();
  project.remove();
}
process.exit(finish());
