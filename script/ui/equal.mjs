// Checks that pages, the command line, agents' tools and the API give the same facts of the same runs.
import { execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { plain, report, text } from './lib.mjs';

// many records runs that end in different ways.
export function many(project, count) {
	const refs = [];
	for (let i = 0; i < count; i++) {
		const errors = Array.from({ length: i % 4 }, (_, e) => `echo "src/f${i % 3 + e}.c:${10 + e}:5: error: \u2018v${i % 5}\u2019 undeclared"`);
		const warnings = i % 3 === 0 ? ['echo "src/f.c:7:1: warning: unused variable \u2018w\u2019 [-Wunused-variable]"'] : [];
		refs.push(project.run(`many${i % 5}`, [...errors, ...warnings, 'echo some text', `exit ${i % 4 === 0 ? 0 : i % 4}`].join('\n')));
	}
	return refs;
}

// facts are the facts of a run that all of them give.
const facts = (info, triage) => ({ status: info.status.toLowerCase(), errors: info.error_count, warnings: info.warning_count,
	exit: info.exit_code ?? 0, lines: info.output_lines, verdict: triage.verdict });

// shown reads the facts from a run's page.
async function shown(site, ref) {
	const html = await text(site, `/run/${ref}`);
	const of = (re) => plain(re.exec(html)?.[1] || '');
	const count = (word) => Number(new RegExp(`>(\\d+) ${word}s?</a>`).exec(html)?.[1] || 0);
	return { status: of(/<h1><span[^>]*>([^<]*)<\/span>/), errors: count('error'), warnings: count('warning'),
		exit: Number(of(/<dt>Exit code<\/dt><dd>(\d+)/)), lines: Number(of(/class="where">Lines \d+ to \d+ of (\d+)/)),
		verdict: of(/<p class="verdict">(.*?)<\/p>/) };
}

// commandLine asks blq with --json.
export function commandLine(blq, cwd, flags = [], env = {}) {
	const ask = (...args) => JSON.parse(execFileSync(blq, [...args, '--json', ...flags], { cwd, encoding: 'utf8',
		env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'ignore'] }));
	return async (ref) => facts(ask('info', ref), ask('triage', ref));
}

// overStdio asks the tools of blq mcp.
export function overStdio(blq, cwd) {
	const child = spawn(blq, ['mcp', 'serve'], { cwd, stdio: ['pipe', 'pipe', 'ignore'] });
	const waiting = new Map();
	createInterface({ input: child.stdout }).on('line', (l) => {
		const m = JSON.parse(l);
		waiting.get(m.id)?.(m);
	});
	let id = 0;
	const send = (method, params) => new Promise((resolve) => {
		waiting.set(++id, resolve);
		child.stdin.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }) + '\n');
	});
	const tool = async (name, args) => (await send('tools/call', { name, arguments: args })).result.structuredContent;
	const begun = send('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'ui-check', version: '1' } });
	return { ask: async (ref) => {
		await begun;
		return facts(await tool('info', { ref }), await tool('triage', { ref }));
	}, end: () => child.kill() };
}

// overHTTP asks a service: its API, and its tools.
export function overHTTP(url, token) {
	const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
	const get = async (name, ref) => (await fetch(`${url}/v1/${name}?ref=${encodeURIComponent(ref)}`, { headers })).json();
	const tool = async (name, ref) => {
		const answer = await fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1,
			method: 'tools/call', params: { name, arguments: { ref } } }) });
		const body = await answer.text();
		return JSON.parse(body.slice(body.indexOf('{'))).result.structuredContent;
	};
	return { api: async (ref) => facts(await get('info', ref), await get('triage', ref)),
		tools: async (ref) => facts(await tool('info', ref), await tool('triage', ref)) };
}

// equal compares the facts of runs from several sources with the pages of a site.
export async function equal(site, refs, others) {
	let differ = 0;
	for (const ref of refs) {
		const page = JSON.stringify(await shown(site, ref));
		for (const [name, ask] of Object.entries(others)) {
			const said = JSON.stringify(await ask(ref));
			if (said === page) continue;
			differ++;
			console.log(`      ${ref}: the page says ${page}, ${name} ${said}`);
		}
	}
	const names = Object.keys(others).join(', ');
	report(`U13 of ${refs.length} runs, what ${names} say otherwise than the pages of ${site.name}`, differ,
		differ === 0 && refs.length >= 50);
}
