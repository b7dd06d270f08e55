// Tests with the TypeScript client of the protocol, which editors use. It calls everything over
// every transport, and the answers must be equal.
import { createRequire } from "node:module";
import { isDeepStrictEqual } from "node:util";
import { join } from "node:path";
import { assert, check } from "./checks.mjs";
import { calls, expand, startLong } from "./project.mjs";

const changes = ["run", "exec", "cancel", "register_command", "unregister_command", "clean", "source-add"];

export async function client(tools, project, base, blq) {
  const require = createRequire(join(tools, "package.json"));
  const load = (name) => require(`@modelcontextprotocol/sdk/${name}`);
  const { Client } = load("client/index.js");
  const { StdioClientTransport } = load("client/stdio.js");
  const { StreamableHTTPClientTransport } = load("client/streamableHttp.js");
  const { SSEClientTransport } = load("client/sse.js");
  const ways = {
    stdio: () => new StdioClientTransport({ command: blq, args: ["mcp", "serve"], cwd: project.dir, env: project.env, stderr: "inherit" }),
    http: () => new StreamableHTTPClientTransport(new URL(`${base}/mcp`)),
    sse: () => new SSEClientTransport(new URL(`${base}/sse`)),
  };
  let first;
  for (const [name, transport] of Object.entries(ways)) {
    await check(`TypeScript client, ${name}`, async () => {
      const c = new Client({ name: "e2e", version: "1" });
      await c.connect(transport());
      try {
        const answers = await everything(c);
        first ??= answers;
        for (const [question, answer] of Object.entries(first)) {
          assert(isDeepStrictEqual(answers[question], answer), `${question} is answered otherwise than over stdio:\n${JSON.stringify(answers[question])}\n${JSON.stringify(answer)}`);
        }
        return `${Object.keys(answers).length} answers`;
      } finally {
        await c.close();
      }
    });
  }
}

// everything calls all methods and returns the parts that must not depend on the transport.
async function everything(c) {
  const answers = {};
  const keep = async (question, asked) => (answers[question] = await asked);
  const { tools } = await keep("tools", c.listTools());
  for (const { name } of tools) {
    assert(calls[name], `tool ${name} has no arguments in e2e/project.mjs: add them`);
    if (name === "unregister_command") continue; // can be called only once
    let args = calls[name];
    if (name === "cancel") {
      const { structuredContent } = await c.callTool({ name: "exec", arguments: startLong });
      args = { ref: structuredContent.run_ref };
    }
    const answer = await c.callTool({ name, arguments: args }); // checks the output schema
    assert(!answer.isError, `${name}: ${JSON.stringify(answer.content)}`);
    if (!changes.includes(name) && name !== "status" && name !== "history") answers["tool " + name] = answer;
  }
  const { resources } = await keep("resources", c.listResources());
  const { resourceTemplates } = await keep("templates", c.listResourceTemplates());
  for (const uri of [...resources.map((r) => r.uri), ...resourceTemplates.map((r) => expand(r.uriTemplate))]) {
    await c.readResource({ uri });
  }
  const { prompts } = await keep("prompts", c.listPrompts());
  for (const { name } of prompts) await c.getPrompt({ name });
  for (const { name, arguments: list } of prompts) {
    for (const a of list ?? []) await c.complete({ ref: { type: "ref/prompt", name }, argument: { name: a.name, value: "" } });
  }
  return answers;
}
