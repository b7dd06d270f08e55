// Checks the pages of blqd with a real browser: as a person who signs in, and as an attacker.
// Usage: node service.mjs BLQ CHROMIUM, with UI_SERVICE, as TestBrowsersLookAtTheService of cmd/blqd sets it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accessibility, withoutScripts } from './look.mjs';
import { commandLine, equal, many, overHTTP } from './equal.mjs';
import { begin, following } from './live.mjs';
import { chromium, end, report } from './lib.mjs';
import { compilerErrors, emptyProject } from './project.mjs';

const service = JSON.parse(process.env.UI_SERVICE);
const [blq, browserPath] = process.argv.slice(2);
const tell = (what, value) => fetch(`${service.control}/${what}/${value}`);
const ui = service.front + '/ui';

// signedIn returns a browser context in which a person has signed in at GitHub.
async function signedIn(browser, person, to = '/') {
	const context = await browser.newContext({ ignoreHTTPSErrors: true });
	const page = await context.newPage();
	await tell('browses', person);
	await page.goto(`${ui}/sign-in?to=${encodeURIComponent(to)}`);
	return { context, page };
}

async function signingIn(browser) {
	const bad = [];
	const expect = (what, ok, got) => { if (!ok) bad.push(`${what}: ${JSON.stringify(got)}`); };
	const context = await browser.newContext({ ignoreHTTPSErrors: true });
	const page = await context.newPage();
	const closed = await page.goto(`${ui}/repo/${service.mine}`);
	expect('without signing in', closed.status() === 401 && !(await page.innerText('main')).includes('build'), closed.status());
	await tell('browses', 'ann');
	await page.click('main >> a:has-text("Sign in")');
	await page.waitForSelector('button:has-text("Sign out")', { timeout: 20_000 }).catch(() => {});
	expect('back at the page that was asked for', page.url() === `${ui}/repo/${service.mine}`, page.url());
	const cookies = await context.cookies(ui);
	expect('cookies', cookies.length === 1 && cookies.every((c) => c.name.startsWith('__Host-') && c.httpOnly && c.secure &&
		c.sameSite === 'Lax'), cookies);
	expect('cookies for scripts', await page.evaluate(() => document.cookie) === '', 'some');
	for (const to of ['https://evil.example/', '//evil.example/', '/\\evil.example', 'javascript:alert(1)']) {
		const other = await signedIn(browser, 'ann', to);
		expect(`a sign-in that leads to ${to}`, new URL(other.page.url()).origin === service.front, other.page.url());
		await other.context.close();
	}
	const thief = await browser.newContext({ ignoreHTTPSErrors: true });
	await thief.addCookies([{ ...cookies[0], value: cookies[0].value.slice(1) + 'x' }]);
	const forged = await (await thief.newPage()).goto(`${ui}/repo/${service.mine}`);
	expect('a forged cookie', forged.status() === 401, forged.status());
	await thief.close();
	await attacked(page, expect);
	await leaving(page, expect);
	for (const b of bad) console.log('      ' + b);
	report('blqd: what signing in and attacks on it should not do', bad.length, bad.length === 0);
	await context.close();
}

// attacked opens a page of another site that shows ours in a frame, and sends the form that signs out.
async function attacked(page, expect) {
	const evil = createServer((request, answer) => {
		answer.setHeader('Content-Type', 'text/html');
		answer.end(request.url === '/frame' ? `<iframe src="${ui}/"></iframe>` :
			`<form method=post action="${ui}/sign-out"><input name=key value=guess></form><script>document.forms[0].submit()</script>`);
	});
	await new Promise((resolve) => { evil.listen(0, '127.0.0.1', resolve); });
	const at = `http://127.0.0.1:${evil.address().port}`;
	const other = await page.context().newPage();
	await other.goto(at + '/frame', { waitUntil: 'load' });
	const framed = await other.frames()[1]?.evaluate(() => document.body.innerText).catch(() => '');
	expect('a frame of another site', !framed?.includes(service.mine), framed);
	const answers = [];
	other.on('response', (r) => { if (r.url().includes('sign-out')) answers.push(r.status()); });
	await other.goto(at + '/form').catch(() => {});
	await other.waitForURL(/sign-out/).catch(() => {});
	const still = await page.goto(`${ui}/repo/${service.mine}`);
	expect('a form of another site', still.status() === 200 && answers[0] === 403, [still.status(), answers]);
	await other.close();
	evil.close();
}

// leaving signs out. The browser must not show the earlier pages again.
async function leaving(page, expect) {
	await page.goto(`${ui}/run/${service.mine}@build`);
	const status = await page.evaluate(async () => (await fetch(location.href)).headers.get('cache-control'));
	expect('the cache', status.includes('no-store'), status);
	await page.click('button:has-text("Sign out")');
	await page.waitForSelector('main >> a:has-text("Sign in")', { timeout: 20_000 }).catch(() => {});
	await page.goBack().catch(() => {});
	expect('going back after signing out', !(await page.innerText('body')).includes('undeclared'), await page.innerText('main'));
}

// tenancy tries to see pages as one person that only another person may see.
async function tenancy(browser) {
	const ann = await signedIn(browser, 'ann'), bob = await signedIn(browser, 'bob');
	const bad = [];
	const there = await bob.page.goto(`${ui}/repo/${service.theirs}`);
	const runs = [...new Set((await bob.page.content()).match(/\/ui\/run\/[^"#]*/g))];
	if (there.status() !== 200 || runs.length === 0) bad.push(`its owner sees nothing: ${there.status()}`);
	const paths = [`/ui/repo/${service.theirs}`, ...runs, ...runs.map((r) => r.replace('/run/', '/log/')),
		...runs.map((r) => r.replace('/run/', '/raw/')), ...runs.map((r) => r.replace('/run/', '/event/') + ':1')];
	for (const path of paths) {
		const got = await ann.page.goto(service.front + path);
		const missing = path.replace(service.theirs, 'acme/nosuch');
		const said = await ann.page.innerText('main');
		const none = await ann.page.goto(service.front + missing);
		const same = said.replaceAll(service.theirs, 'acme/nosuch') === await ann.page.innerText('main');
		if (got.status() !== none.status() || got.status() === 200 || !same) bad.push(`${path}: ${got.status()} ${said.slice(0, 100)}`);
	}
	for (const b of bad) console.log('      ' + b);
	report(`blqd: pages of a foreign repository, of ${paths.length}, that tell something`, bad.length, bad.length === 0);
	await ann.context.close();
	await bob.context.close();
}

const dir = mkdtempSync(join(tmpdir(), 'blq-ui-'));
const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
try {
	await signingIn(browser);
	await tenancy(browser);
	const project = emptyProject(blq, dir);
	project.env = { BLQ_SERVER: service.api, BLQ_TOKEN: service.token, BLQ_REPO: service.mine };
	project.run('web', 'echo fine');
	project.run('web', `printf "make all\\n${compilerErrors}"; exit 2`);
	const refs = many(project, 50);
	execFileSync(blq, ['push'], { cwd: dir, stdio: 'ignore', env: { ...process.env, ...project.env } });
	const { context } = await signedIn(browser, 'ann');
	const cookies = await context.cookies();
	const site = { name: 'blqd', base: ui, cookies, cookie: cookies.map((c) => `${c.name}=${c.value}`).join('; '),
		repo: service.mine, options: { ignoreHTTPSErrors: true } };
	// A run has another number on the server. The list of all runs would be too long for one answer.
	const there = async (source) => {
		const list = await (await fetch(`${service.api}/v1/history?repo=${service.mine}&source=${source}&limit=200`,
			{ headers: { authorization: `Bearer ${service.token}` } })).json();
		return list.runs.map((r) => `${service.mine}@${source}:${r.run_id}`);
	};
	project.failed = (await there('web'))[0];
	const sent = (await Promise.all([...new Set(refs.map((r) => r.split(':')[0]))].map(there))).flat();
	const http = overHTTP(service.api, service.token);
	await equal(site, sent, { 'the API': http.api, 'its tools': http.tools,
		'blq --remote': commandLine(blq, dir, ['--remote', service.api], project.env) });
	await withoutScripts(browser, site, project);
	const f = project.failed;
	await accessibility(browser, site, ['/', `/repo/${service.mine}`, `/run/${f}`, `/log/${f}?line=3`, `/event/${f}:1`,
		`/errors/${f}`, '/run/acme/nosuch@build:1']);
	const live = await begin(project);
	await following(browser, site, { kill: () => tell('gone', 'true'), start: () => tell('gone', 'false') }, live,
		`/run/${service.mine}@live`);
} finally {
	await browser.close();
	rmSync(dir, { recursive: true, force: true });
}
process.exit(end());
