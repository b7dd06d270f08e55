// Checks the size of pages and what they load, use without JavaScript or with the keyboard only, axe and Lighthouse.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { axe, chromium, late, median, opened, quick, report, require, text, timed, until } from './lib.mjs';

// sizes measures what each page loads.
export async function sizes(site) {
	for (const [name, max] of [['blq.js', 10], ['blq.css', 15]]) {
		const kb = gzipSync(await text(site, `/static/${name}`)).length / 1024;
		report(`U6 ${name}, at most ${max} KB`, `${kb.toFixed(1)} KB`, kb <= max);
	}
	const answer = await fetch(site.base + '/', { headers: { cookie: site.cookie } });
	const policy = answer.headers.get('content-security-policy') || '';
	report('U6 the policy of pages', policy, policy.includes("default-src 'none'") && !policy.includes('unsafe'));
}

// search compares the counts with grep, and the time with unpacking and searching the same log.
export async function search(site, project) {
	const page = (term) => text(site, `/search/${project.large}?q=${encodeURIComponent(term)}`);
	let differ = 0;
	for (const term of project.terms) {
		const found = Number(/role="status">(\d+) lines?/.exec(await page(term))?.[1]);
		const want = Number(count(['grep', '-c', '-F', '-e', term, project.largeLog]));
		if (found !== want) {
			console.log(`      ${term}: ${found}, and grep says ${want}`);
			differ++;
		}
	}
	report(`U4 searches that count otherwise than grep, of ${project.terms.length}`, differ, differ === 0);
	const packed = project.largeLog + '.zst';
	execFileSync('zstd', ['-q', '-f', project.largeLog, '-o', packed]);
	const took = async (what) => {
		const began = performance.now();
		await what();
		return performance.now() - began;
	};
	for (const [name, term] of [['without a hit', 'no such text'], ['with a hit in almost every line', 'cc -O2']]) {
		const figure = `U4 a search ${name}, by zstdcat | rg`;
		await timed({ [figure]: 2 }, async () => {
			const ours = [], theirs = [];
			for (let i = 0; i < 5; i++) {
				ours.push(await took(() => page(term)));
				theirs.push(await took(() => count(['sh', '-c', `zstdcat ${packed} | rg -c -F "${term}"`])));
			}
			return { [figure]: median(ours) / median(theirs), steady: late(theirs) / median(theirs) };
		});
	}
}

// count returns the number that a program prints. The program exits with 1 if it finds nothing.
function count([program, ...args]) {
	try {
		return execFileSync(program, args, { encoding: 'utf8' });
	} catch (e) {
		if (e.status !== 1) throw e;
		return e.stdout || '0';
	}
}

// withoutScripts follows links with JavaScript off, from the list of runs to every kind of page about a log.
export async function withoutScripts(browser, site, project) {
	const context = await opened(browser, site, { javaScriptEnabled: false });
	const page = await context.newPage();
	await page.goto(site.base + '/');
	let steps = 0;
	const go = async (what) => {
		await what;
		steps++;
	};
	if (site.repo) await page.click(`main a[href$="/repo/${site.repo}"]`);
	await go(page.click(`a[href$="/run/${project.failed}"]`));
	await go(page.click('nav.window >> text=Next error'));
	await go(page.click('nav.window >> text=Previous error'));
	await page.fill('input[name=q]', 'error');
	await go(page.click('button:has-text("Find")'));
	await go(page.click('.hits a'));
	await go(page.click('text=Raw'));
	await page.goBack();
	await page.fill('input[name=line]', '2');
	await go(page.click('button:has-text("Go")'));
	await go(page.click('header >> text=Compare'));
	const at = new URL(page.url()).pathname;
	report(`U7 steps without JavaScript on ${site.name}, of 8`, steps, steps === 8 && at.includes('/compare/'));
	await context.close();
}

// keyboard goes from the page of an error, to which comments link, to the line that broke the build, and further. It
// uses only Tab and Enter, and then single keys. Single keys can be turned off.
export async function keyboard(browser, site, project) {
	const context = await opened(browser, site, { reducedMotion: 'reduce' });
	const page = await context.newPage();
	await page.goto(`${site.base}/event/${project.failed}:1`);
	const follow = async (text) => {
		for (let i = 0; i < 200; i++) {
			await page.keyboard.press('Tab');
			const is = await page.evaluate((t) => document.activeElement.matches('a, button, summary, input') &&
				document.activeElement.innerText?.includes(t), text);
			if (!is) continue;
			const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle !== 'none');
			const address = page.url();
			await page.keyboard.press('Enter');
			await until(() => page.url() !== address, 2000);
			await page.waitForLoadState('load');
			return ring;
		}
		return false;
	};
	// The number of the line with the focus, which must differ from the one before.
	const line = (other = '') => until(() => page.evaluate((not) => {
		const n = document.activeElement?.dataset.n;
		return n !== not && n;
	}, other), 10_000);
	const steps = [];
	const rings = [await follow('The log around line')];
	const first = await line();
	steps.push(['to the line', first]);
	rings.push(await follow('Next error'));
	const second = await line(first);
	steps.push(['to the next error', second]);
	await page.keyboard.press('p');
	steps.push(['back with a key', await line(second) === first]);
	steps.push(['what has the focus is seen', rings.every(Boolean)]);
	await follow('Keys');
	await page.keyboard.press('Tab');
	await page.keyboard.press('Space');
	await page.keyboard.press('Shift+Tab');
	const before = page.url();
	await page.keyboard.press('n');
	await page.waitForTimeout(500);
	steps.push(['keys off', page.url() === before]);
	await page.goto(`${site.base}/run/${project.failed}`);
	await follow('As a prompt');
	rings.push(await follow('Copy'));
	steps.push(['the prompt is copied', await until(() => page.evaluate(() => /^(copied|selected)/.test(
		document.querySelector('#said').textContent) && document.querySelector('#prompt').value.includes('undeclared')))]);
	steps.push(['nothing moves', await page.evaluate(() => document.getAnimations().length === 0)]);
	const failed = steps.filter(([, ok]) => !ok).map(([name]) => name);
	report('U8 steps by keyboard only, of 7, that fail', failed.length ? failed.join(', ') : 0, failed.length === 0);
	await context.close();
}

// accessibility checks each page with axe, light and dark, narrow and wide.
export async function accessibility(browser, site, paths) {
	if (process.env.UI_SHOTS) mkdirSync(process.env.UI_SHOTS, { recursive: true });
	let found = 0, pages = 0, overflow = 0;
	for (const colorScheme of ['light', 'dark']) {
		for (const width of quick ? [colorScheme === 'light' ? 360 : 1280] : [360, 1280]) {
			const context = await opened(browser, site, { colorScheme, viewport: { width, height: 800 }, bypassCSP: true });
			for (const path of paths) {
				const page = await context.newPage();
				await page.goto(site.base + path);
				await page.evaluate(() => { for (const d of document.querySelectorAll('details')) d.open = true; });
				await page.evaluate(axe);
				const { violations } = await page.evaluate(() => globalThis.axe.run());
				for (const v of violations) {
					console.log(`      ${path} ${colorScheme} ${width}: ${v.id}: ${v.nodes[0].html.slice(0, 120)}`);
				}
				const wide = await isWide(page) || width === 360 && await isWideEnlarged(page);
				if (wide) console.log(`      ${path} ${width}: wider than the window`);
				overflow += wide;
				found += violations.length;
				pages++;
				if (process.env.UI_SHOTS) {
					await page.screenshot({ path: join(process.env.UI_SHOTS,
						`${site.name}-${path.replace(/[^a-z0-9]+/gi, '-')}-${colorScheme}-${width}.png`) });
				}
				await page.close();
			}
			await context.close();
		}
	}
	report(`U8 violations that axe finds on ${pages} pages of ${site.name}`, found, found === 0);
	report(`U8 pages of ${site.name} that are wider than the window`, overflow, overflow === 0);
}

// lighthouse returns the scores of a page. site may be a server without cookies.
export async function lighthouse(browserPath, site, path) {
	const { default: mark } = await import(pathToFileURL(require.resolve('lighthouse')));
	const port = await freePort();
	const browser = await chromium.launch({ executablePath: browserPath,
		args: ['--no-sandbox', '--remote-debugging-port=' + port] });
	try {
		const { lhr } = await mark(site.base + path, { port, logLevel: 'silent',
			onlyCategories: ['accessibility', 'best-practices'], extraHeaders: site.cookie ? { cookie: site.cookie } : {} });
		for (const [name, c] of Object.entries(lhr.categories)) {
			const missed = c.auditRefs.filter((a) => a.weight > 0 && lhr.audits[a.id].score === 0).map((a) => a.id);
			report(`U8 Lighthouse ${name} of ${site.name}${path}, 100`, [Math.round(100 * c.score), ...missed].join(' '),
				c.score === 1);
		}
	} finally {
		await browser.close();
	}
}

// freePort returns a port that nobody listens on.
function freePort() {
	return new Promise((resolve, reject) => {
		const server = createServer().on('error', reject);
		server.listen(0, '127.0.0.1', () => {
			const { port } = server.address();
			server.close(() => resolve(port));
		});
	});
}

const isWide = (page) => page.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1);

// isWideEnlarged reports whether a page is wider than a window of 320 px, which is one of 1,280 px at 400 %, with the
// distances between letters, words and lines that WCAG 1.4.12 names.
async function isWideEnlarged(page) {
	await page.setViewportSize({ width: 320, height: 800 });
	await page.evaluate(() => {
		const spaced = new CSSStyleSheet();
		spaced.replaceSync(`*{line-height:1.5!important;letter-spacing:.12em!important;word-spacing:.16em!important}
			p{margin-bottom:2em!important}`);
		document.adoptedStyleSheets.push(spaced);
	});
	return isWide(page);
}

// hostile opens a log that contains HTML and scripts.
export async function hostile(browser, site, project) {
	const context = await opened(browser, site);
	const page = await context.newPage();
	let bad = 0, foreign = 0;
	page.on('dialog', (d) => { bad++; d.dismiss(); });
	page.on('console', (m) => { if (m.type() === 'error') { bad++; console.log('      ' + m.text()); } });
	page.on('request', (r) => { if (!r.url().startsWith(site.base)) foreign++; });
	await page.addInitScript(() => addEventListener('securitypolicyviolation', (e) => console.error(e.violatedDirective)));
	let outside = '';
	for (const path of ['run', 'log', 'errors', 'event', 'search']) {
		const of = path === 'event' ? ':1' : path === 'search' ? '?q=x' : '';
		await page.goto(`${site.base}/${path}/${project.hostile}${of}`);
		const odd = await page.evaluate(() => document.querySelectorAll(
			'main script, main img, main iframe, main svg:not(.spark, .strip), main base, main style, .log form, .log input, .log a').length);
		if (odd > 0) console.log(`      ${path}: ${odd} elements`);
		bad += odd;
		// The page around the log must be the same as for a log of plain text.
		outside += await page.evaluate(() => document.querySelectorAll('body > header').length === 1 &&
			document.querySelectorAll('main').length === 1 && document.querySelectorAll('body > footer').length === 1 ? '' : 'x');
	}
	report('U10 scripts, dialogs, foreign elements and errors of a hostile log', bad, bad === 0);
	report('U10 pages whose head or foot a hostile log changes', outside.length, outside === '');
	report('U6 requests to other hosts', foreign, foreign === 0);
	const kb = (await text(site, `/log/${project.hostile}`)).length / 1024;
	report('U10 size of the page of a log with one enormous line, at most 200 KB', `${kb.toFixed(0)} KB`, kb <= 200);
	await context.close();
}
