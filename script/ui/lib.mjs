// Functions that the checks share: verdicts with figures, and browsers with the pages.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export const require = createRequire(join(process.env.UI_MODULES, 'x.js'));
export const { chromium } = require('playwright-core');
export const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

// quick leaves out the largest logs, for CI.
export const quick = process.env.UI_QUICK === '1';

export const wrong = [];
const noisy = [];

export function report(name, figure, ok) {
	console.log(`${ok ? 'ok   ' : 'WRONG'} ${name}: ${figure}`);
	if (!ok) wrong.push(name);
}

// timed reports a measurement of time, which is a ratio or has a limit of its own. Other work on the machine can only
// make it worse. Therefore a missed target is measured again, twice. If the machine is so busy that the measurements
// are not steady, a miss says nothing about the pages. It is then shown and counted at the end, but is not an error.
// measure returns the figures by name, and steady: how much longer than usual the slowest of equal measurements took.
export async function timed(limits, measure) {
	const tries = [];
	while (tries.length < (quick ? 1 : 3)) {
		tries.push(await measure());
		if (Object.entries(limits).every(([name, max]) => least(tries, name) <= max)) break;
	}
	const unsteady = Math.max(...tries.map((t) => t.steady));
	for (const [name, max] of Object.entries(limits)) {
		const figure = `${tries.map((t) => t[name].toFixed(2)).join(', then ')}, at most ${max}`;
		if (least(tries, name) <= max || (unsteady <= 2 && !quick)) {
			report(name, figure, least(tries, name) <= max);
			continue;
		}
		console.log(`noisy ${name}: ${figure}; equal measurements differed by a factor of ${unsteady.toFixed(1)}`);
		noisy.push(name);
	}
}

const least = (tries, name) => Math.min(...tries.map((t) => t[name]));

// end prints the results of the checks, and returns the exit code.
export function end() {
	if (noisy.length > 0) console.log(`${noisy.length} times were not judged: ${quick ? 'make ui-check does' : 'the machine is too busy'}`);
	if (wrong.length > 0) console.log(`${wrong.length} checks failed: ${wrong.join('; ')}`);
	return wrong.length > 0 ? 1 : 0;
}

export const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
export const late = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length * 0.95)];

export const pause = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

// until waits until a function returns a value, and returns the value. It returns undefined if that takes too long.
export async function until(look, ms = 20_000) {
	for (const began = Date.now(); Date.now() - began < ms; await pause(50)) {
		const found = await look();
		if (found) return found;
	}
	return undefined;
}

// opened returns a browser context that may look at a site.
export async function opened(browser, site, options) {
	const context = await browser.newContext({ ...site.options, ...options });
	await context.addCookies(site.cookies);
	return context;
}

// signIn opens the one-time link of a site.
export async function signIn(browser, site) {
	const context = await browser.newContext();
	await (await context.newPage()).goto(site.link);
	site.cookies = await context.cookies();
	site.cookie = site.cookies.map((c) => `${c.name}=${c.value}`).join('; ');
	await context.close();
}

// text fetches a page without a browser, and returns its text.
export async function text(site, path) {
	return (await fetch(site.base + path, { headers: { cookie: site.cookie } })).text();
}

// plain returns the text of HTML.
export const plain = (html) => html.replace(/<[^>]*>/g, '').replace(/&#39;/g, "'").replace(/&#34;/g, '"')
	.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&');
