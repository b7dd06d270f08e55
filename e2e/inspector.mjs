// Tests with the command line of the MCP inspector, with which people try servers.
import { join } from "node:path";
import { assert, check, each } from "./checks.mjs";
import { calls, expand } from "./project.mjs";
import { run } from "./processes.mjs";

// ways are the transports by which the inspector reaches a server.
const ways = (base, blq) => [
  { name: "http, legacy", target: [`${base}/mcp`, "--transport", "http"] },
  { name: "http, modern", target: [`${base}/mcp`, "--transport", "http", "--protocol-era", "modern"] },
  { name: "sse", target: [`${base}/sse`, "--transport", "sse"] },
  { name: "stdio", target: [], command: ["--", blq, "mcp", "serve"] },
];

export async function inspector(tools, project, base, blq) {
  const env = { ...project.env, HOME: project.dir, MCP_CATALOG_PATH: join(project.dir, "catalog.json") };
  const ask = async (way, ...args) => {
    const line = [join(tools, "node_modules/.bin/mcp-inspector"), "--cli", ...way.target, ...args, "--format", "json", "-q", ...(way.command ?? [])];
    const out = await run(process.execPath, line, { cwd: project.dir, env, most: 60_000 });
    assert(out.code === 0, `exit ${out.code}: ${out.stderr}\n${out.stdout}`);
    return JSON.parse(out.stdout).result;
  };
  const wanted = [];
  await each(2, ways(base, blq), async (way) => {
    await check(`inspector, ${way.name}: lists`, async () => {
      const { tools: list } = await ask(way, "--method", "tools/list", "--strict");
      const { resources } = await ask(way, "--method", "resources/list");
      const { resourceTemplates } = await ask(way, "--method", "resources/templates/list");
      const { prompts } = await ask(way, "--method", "prompts/list");
      for (const tool of list) {
        assert(calls[tool.name], `tool ${tool.name} has no arguments in e2e/project.mjs: add them`);
        if (tool.name === "cancel") continue; // it ends a run of the same process, and each call here is a process
        const args = Object.entries(calls[tool.name]).flatMap(([key, value]) => ["--tool-arg", `${key}=${value}`]);
        wanted.push([way, `calls ${tool.name}`, ["--method", "tools/call", "--tool-name", tool.name, ...args]]);
      }
      for (const uri of [...resources.map((r) => r.uri), ...resourceTemplates.map((r) => expand(r.uriTemplate))]) {
        wanted.push([way, `reads ${uri}`, ["--method", "resources/read", "--uri", uri]]);
      }
      for (const prompt of prompts) {
        wanted.push([way, `gets ${prompt.name}`, ["--method", "prompts/get", "--prompt-name", prompt.name]]);
      }
      return `${list.length} tools, ${resources.length} resources, ${resourceTemplates.length} templates, ${prompts.length} prompts`;
    });
  });
  await check("inspector, --compat lq: lists", async () => {
    const { tools: list } = await ask({ target: [], command: ["--", blq, "mcp", "serve", "--compat", "lq"] }, "--method", "tools/list", "--strict");
    assert(list.length > 0, "there are no tools");
    return `${list.length} tools`;
  });
  // A tool that removes something is called only once, because another call may need it.
  const seen = new Set();
  const once = wanted.filter(([, what]) => what !== "calls unregister_command" || !seen.has(what) && seen.add(what));
  await each(4, once, async ([way, what, args]) => {
    await check(`inspector, ${way.name}: ${what}`, async () => { await ask(way, ...args); });
  });
}
