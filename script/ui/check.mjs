// Looks at the pages of `blq ui` with a real browser, and prints a figure for each promise that the pages make.
// Usage: node check.mjs BLQ CHROMIUM; the folder of this file has the packages. Ratios count, not milliseconds: each is
// measured beside an empty page of the same server.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { makeProject } from './project.mjs';
import { serve } from './serve.mjs';

const require = createRequire(join(process.env.UI_MODULES, 'x.js'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const [blq, browserPath] = process.argv.slice(2);
const debugPort = 9222 + process.pid % 1000;
const dir = mkdtempSync(join(tmpdir(), 'blq-ui-'));
const wrong = [];

function report(name, figure, ok) {
	console.log(`${ok ? 'ok   ' : 'WRONG'} ${name}: ${figure}`);
	if (!ok) wrong.push(name);
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
const late = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length * 0.95)];

// firstPaint opens an address without caches, and returns when the browser first painted text, in milliseconds.
async function firstPaint(context, address) {
	const page = await context.newPage();
	await page.goto(address, { waitUntil: 'load' });
	const at = await page.evaluate(() => new Promise((resolve) => {
		new PerformanceObserver((list) => {
			const entry = list.getEntriesByName('first-contentful-paint')[0];
			if (entry) resolve(entry.startTime);
		}).observe({ type: 'paint', buffered: true });
	}));
	await page.close();
	return at;
}

async function opened(browser, site, options) {
	const context = await browser.newContext(options);
	await context.addCookies(site.cookies);
	return context;
}

// speed compares a large log with an empty page and with a log of 2 MB.
async function speed(browser, site, project) {
	const context = await opened(browser, site);
	const times = { empty: [], large: [], short: [] };
	for (let i = 0; i < 8; i++) {
		times.empty.push(await firstPaint(context, site.base + '/find'));
		times.large.push(await firstPaint(context, `${site.base}/log/${project.large}?line=${project.largeLine}`));
		times.short.push(await firstPaint(context, `${site.base}/log/${project.short}?line=${project.shortLine}`));
	}
	const [empty, large, short] = [median(times.empty), median(times.large), median(times.short)];
	report('first paint of a large log against an empty page, at most 3', (large / empty).toFixed(2), large <= 3 * empty);
	report('first paint of a large log against one of 2 MB, at most 1.25', (large / short).toFixed(2),
		large <= 1.25 * short);
	const page = await context.newPage();
	await page.goto(`${site.base}/log/${project.large}?line=1`);
	const jumps = [];
	for (let i = 0; i < 15; i++) {
		const began = performance.now();
		await Promise.all([page.waitForNavigation(), page.keyboard.press('n')]);
		await page.waitForSelector('.l.at.error');
		jumps.push(performance.now() - began);
	}
	report('to the next error with a key, median against an empty page, at most 2', (median(jumps) / empty).toFixed(2),
		median(jumps) <= 2 * empty);
	report('the same, of the slowest, at most 4', (late(jumps) / empty).toFixed(2), late(jumps) <= 4 * empty);
	const nodes = await page.evaluate(() => document.querySelectorAll('*').length);
	report('elements of a page, at most 25000', nodes, nodes <= 25000);
	await context.close();
}

// sizes are those of what each page loads.
async function sizes(browser, site) {
	for (const [name, max] of [['blq.js', 10], ['blq.css', 15]]) {
		const text = await (await fetch(`${site.base}/static/${name}`, { headers: { cookie: site.cookie } })).text();
		const kb = gzipSync(text).length / 1024;
		report(`${name}, at most ${max} KB`, `${kb.toFixed(1)} KB`, kb <= max);
	}
}

// search compares counts with grep.
async function search(site, project) {
	let differ = 0;
	for (const term of project.terms) {
		const text = await (await fetch(`${site.base}/search/${project.large}?q=${encodeURIComponent(term)}`,
			{ headers: { cookie: site.cookie } })).text();
		const found = Number(/role="status">(\d+) lines?/.exec(text)?.[1]);
		let want = 0;
		try {
			want = Number(execFileSync('grep', ['-c', '-F', '-e', term, project.largeLog]));
		} catch (e) { // grep exits with 1 if there is none
			if (e.status !== 1) throw e;
		}
		if (found !== want) differ++;
	}
	report(`searches that count otherwise than grep, of ${project.terms.length}`, differ, differ === 0);
}

// withoutScripts follows links with JavaScript off.
async function withoutScripts(browser, site, project) {
	const context = await opened(browser, site, { javaScriptEnabled: false });
	const page = await context.newPage();
	await page.goto(site.base + '/');
	let steps = 0;
	const go = async (what) => {
		await what;
		steps++;
	};
	await go(page.click(`a[href="/run/${project.failed}"]`));
	await go(page.click('nav.window >> text=Next error'));
	await go(page.click('nav.window >> text=Previous error'));
	await page.fill('input[name=q]', 'error');
	await go(page.click('button:has-text("Find")'));
	await go(page.click('.hits a'));
	await go(page.click('text=Raw'));
	await page.goBack();
	await go(page.click('header >> text=Compare'));
	const at = new URL(page.url()).pathname;
	report('steps without JavaScript, of 7', steps, steps === 7 && at.startsWith('/compare/'));
	await context.close();
}

// accessibility asks axe about each page, light and dark, narrow and wide.
async function accessibility(browser, site, paths) {
	let found = 0, pages = 0, overflow = 0;
	for (const colorScheme of ['light', 'dark']) {
		for (const width of [360, 1280]) {
			const context = await opened(browser, site, { colorScheme, viewport: { width, height: 800 }, bypassCSP: true });
			for (const path of paths) {
				const page = await context.newPage();
				await page.goto(site.base + path);
				await page.evaluate(axe);
				const { violations } = await page.evaluate(() => globalThis.axe.run());
				for (const v of violations) {
					console.log(`      ${path} ${colorScheme} ${width}: ${v.id}: ${v.nodes[0].html.slice(0, 120)}`);
				}
				const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1);
				if (wide) console.log(`      ${path} ${width}: wider than the window`);
				overflow += wide;
				found += violations.length;
				pages++;
				if (process.env.UI_SHOTS) {
					await page.screenshot({ path: join(process.env.UI_SHOTS,
						`${path.replace(/[^a-z0-9]+/gi, '-')}-${colorScheme}-${width}.png`) });
				}
				await page.close();
			}
			await context.close();
		}
	}
	report(`violations that axe finds on ${pages} pages`, found, found === 0);
	report('pages that are wider than the window', overflow, overflow === 0);
}

// lighthouse gives marks to the page of a run.
async function lighthouse(site, project) {
	const { default: mark } = await import(pathToFileURL(require.resolve('lighthouse')));
	const browser = await chromium.launch({ executablePath: browserPath,
		args: ['--no-sandbox', '--remote-debugging-port=' + debugPort] });
	try {
		const { lhr } = await mark(`${site.base}/run/${project.failed}`, { port: debugPort, logLevel: 'silent',
			onlyCategories: ['accessibility', 'best-practices'], extraHeaders: { cookie: site.cookie } });
		for (const [name, c] of Object.entries(lhr.categories)) {
			const missed = c.auditRefs.filter((a) => a.weight > 0 && lhr.audits[a.id].score === 0).map((a) => a.id);
			report(`Lighthouse ${name}, 100`, [Math.round(100 * c.score), ...missed].join(' '), c.score === 1);
		}
	} finally {
		await browser.close();
	}
}

// hostile opens a log that wants to be more than text.
async function hostile(browser, site, project) {
	const context = await opened(browser, site);
	const page = await context.newPage();
	let bad = 0, foreign = 0;
	page.on('dialog', (d) => { bad++; d.dismiss(); });
	page.on('console', (m) => { if (m.type() === 'error') { bad++; console.log('      ' + m.text()); } });
	page.on('request', (r) => { if (!r.url().startsWith(site.base)) foreign++; });
	for (const path of ['run', 'log', 'errors']) await page.goto(`${site.base}/${path}/${project.hostile}`);
	bad += await page.evaluate(() => document.querySelectorAll('main script, main img, main iframe').length);
	report('scripts, dialogs and errors of a hostile log', bad, bad === 0);
	report('requests to other hosts', foreign, foreign === 0);
	await context.close();
}

try {
	const project = makeProject(blq, dir);
	const site = await serve(blq, dir);
	const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
	try {
		const context = await browser.newContext();
		await (await context.newPage()).goto(site.link);
		site.cookies = await context.cookies();
		site.cookie = site.cookies.map((c) => `${c.name}=${c.value}`).join('; ');
		await speed(browser, site, project);
		await sizes(browser, site);
		await search(site, project);
		await withoutScripts(browser, site, project);
		await hostile(browser, site, project);
		await lighthouse(site, project);
		const f = project.failed;
		await accessibility(browser, site, ['/', '/runs', `/run/${f}`, `/errors/${f}`, `/event/${f}:1`, `/log/${f}?line=3`,
			`/search/${f}?q=error`, `/compare/${f}`, '/tests', '/tests?show=history&test=x', '/find?q=error', '/run/nosuch:99']);
	} finally {
		await browser.close();
		site.end();
	}
} finally {
	rmSync(dir, { recursive: true, force: true });
}
if (wrong.length > 0) process.exit(1);
