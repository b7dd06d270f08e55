// Checks the page of a run in one file: blq report --html.
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { lighthouse } from './look.mjs';
import { axe, report } from './lib.mjs';

export async function oneFile(browser, browserPath, project) {
	const file = join(project.dir, 'report.html');
	execFileSync(project.blq, ['report', project.small, '--html', file], { cwd: project.dir });
	const size = statSync(file).size, raw = statSync(join(project.dir, 'small.log')).size;
	report('U11 size of the file by that of the log, at most 3 %', `${(100 * size / raw).toFixed(1)} %`, size <= raw * 0.03);
	execFileSync(project.blq, ['report', project.large, '--html', file], { cwd: project.dir });
	const largest = statSync(file).size / (1 << 20);
	report('U11 size of the file of a large log, at most 2 MB', `${largest.toFixed(2)} MB`, largest <= 2);
	await offline(browser, file);
	await accessible(browser, file);
	const server = createServer((_, answer) => {
		answer.setHeader('Content-Type', 'text/html; charset=utf-8');
		answer.end(readFileSync(file));
	});
	await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
	try {
		await lighthouse(browserPath, { name: 'the file', base: `http://127.0.0.1:${server.address().port}` }, '/');
	} finally {
		server.close();
	}
}

// offline opens the file from the disk, without a network and without JavaScript.
async function offline(browser, file) {
	const context = await browser.newContext({ offline: true, javaScriptEnabled: false });
	const page = await context.newPage();
	let asked = -1; // for the file itself
	page.on('request', () => { asked++; });
	await page.goto(pathToFileURL(file).href);
	const seen = [];
	const target = async () => {
		const id = new URL(page.url()).hash.slice(1);
		return id && await page.locator('#' + id).isVisible() ? id : '';
	};
	for (const text of ['line', 'Next error', 'Previous error']) {
		await page.click(text === 'line' ? '.errors a' : `nav >> text=${text} >> nth=0`);
		seen.push(await target());
	}
	const ok = seen.every(Boolean) && seen[0] !== seen[1];
	report('U11 steps from error to error in the file, without JavaScript and network', seen.join(', '), ok);
	report('U11 requests of the file', asked, asked === 0);
	await context.close();
}

async function accessible(browser, file) {
	let found = 0;
	for (const colorScheme of ['light', 'dark']) {
		for (const width of [360, 1280]) {
			const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 }, bypassCSP: true });
			const page = await context.newPage();
			await page.goto(pathToFileURL(file).href);
			await page.evaluate(axe);
			const { violations } = await page.evaluate(() => globalThis.axe.run());
			for (const v of violations) console.log(`      ${v.id}: ${v.nodes[0].html.slice(0, 120)}`);
			const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1);
			found += violations.length + wide;
			await context.close();
		}
	}
	report('U11 violations that axe finds in the file', found, found === 0);
}
