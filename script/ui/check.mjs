// Checks the pages of `blq ui` with a real browser, and prints a figure for each acceptance criterion, U1 to U13.
// Usage: node check.mjs BLQ CHROMIUM. Times are ratios, not milliseconds: an empty page of the same server is measured
// at the same time. With UI_QUICK=1 logs are smaller.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anywhere, prune } from './anywhere.mjs';
import { commandLine, equal, many, overStdio } from './equal.mjs';
import { oneFile } from './file.mjs';
import { grid } from './grid.mjs';
import { chromium, end, quick, signIn, text } from './lib.mjs';
import { begin, following } from './live.mjs';
import { accessibility, hostile, keyboard, lighthouse, search, sizes, withoutScripts } from './look.mjs';
import { makeProject } from './project.mjs';
import { rivals } from './rivals.mjs';
import { readers, scrolling } from './scroll.mjs';
import { serve } from './serve.mjs';
import { jumping, opening } from './speed.mjs';

const [blq, browserPath] = process.argv.slice(2);
const dir = mkdtempSync(join(tmpdir(), 'blq-ui-'));

// restarting is the server of a site. It can be killed and started again at the same address.
function restarting(browser, site) {
	return {
		kill: () => site.end('SIGKILL'),
		async start(context) { // the browser is let in by a new link
			Object.assign(site, await serve(blq, dir, site.host));
			const page = await context.newPage();
			await page.goto(site.link);
			await page.close();
			site.cookies = await context.cookies();
			site.cookie = site.cookies.map((c) => `${c.name}=${c.value}`).join('; ');
		},
	};
}

async function check(browser, site, project) {
	const refs = many(project, 50);
	const tools = overStdio(blq, dir);
	await equal(site, refs, { 'blq --json': commandLine(blq, dir), 'tools for agents': tools.ask });
	tools.end();
	await sizes(site);
	await anywhere(browser, site, project);
	await withoutScripts(browser, site, project);
	await keyboard(browser, site, project);
	await hostile(browser, site, project);
	const f = project.failed;
	const [print] = /\/fingerprint\/[^"]+/.exec(await text(site, `/event/${f}:1`));
	await accessibility(browser, site, ['/', '/runs', `/run/${f}`, `/errors/${f}`, `/event/${f}:1`, `/log/${f}?line=3`,
		`/search/${f}?q=error`, `/compare/${f}`, '/tests', '/tests?show=history&test=x', '/sources', '/uploads',
		`/upload/${f}`, print, `/run/${project.long}`, `/event/${project.long}:1`, `/upload/${project.long}`,
		`/compare/${project.long}`, `/sources?source=${project.long.split(':')[0]}`, '/tests?show=grid', '/find?q=error',
		'/run/nosuch:99', `/run/${project.pruned}`]);
	await lighthouse(browserPath, site, `/run/${f}`);
	await oneFile(browser, browserPath, project);
	await grid(browser, site, project);
	const live = await begin(project);
	await following(browser, site, restarting(browser, site), live, '/run/live');
	await search(site, project);
	if (!quick) await opening(browser, site, project); // times alone
	if (!quick) await rivals(browser, site, project);
	await jumping(browser, site, project);
	await scrolling(browser, site, project);
	if (!quick) await readers(site, project);
}

try {
	const project = makeProject(blq, dir);
	prune(project);
	const site = await serve(blq, dir);
	const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
	try {
		await signIn(browser, site);
		await check(browser, site, project);
	} finally {
		await browser.close();
		site.end();
	}
} finally {
	rmSync(dir, { recursive: true, force: true });
}
process.exit(end());
