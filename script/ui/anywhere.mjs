// Checks that every URL of a line leads to the line, and that the URL which the page copies does so, too.
import { execFileSync } from 'node:child_process';
import { opened, report } from './lib.mjs';
import { odd } from './project.mjs';

// shownAt opens a URL. It returns the number and text of the line in view, or an error message.
async function shownAt(page, address) {
	await page.goto('about:blank');
	const answer = await page.goto(address);
	// The script of the page may still load the part of the log that has the line.
	await page.waitForFunction(() => document.readyState === 'complete' &&
		(document.querySelector('.l.at') || !location.hash || !document.querySelector('#lines')), { timeout: 20_000 })
		.catch(() => {});
	return page.evaluate((status) => {
		const at = document.querySelectorAll('.l.at'), box = at[0]?.getBoundingClientRect();
		return { status, path: location.pathname, first: at[0] ? +at[0].dataset.n : 0, text: at[0]?.textContent.slice(0, 60),
			last: at.length ? +at[at.length - 1].dataset.n : 0, page: document.querySelector('main').innerText,
			seen: Boolean(box && box.top >= -1 && box.bottom <= innerHeight + 1 || box && box.height > innerHeight) };
	}, answer.status());
}

// copied returns the URL that the key y copies.
async function copied(page) {
	await page.keyboard.press('y');
	await page.waitForFunction(() => /https?:/.test(document.querySelector('#said').textContent));
	return page.evaluate(() => /https?:\S+/.exec(document.querySelector('#said').textContent)[0]);
}

export async function anywhere(browser, site, project) {
	const context = await opened(browser, site);
	const page = await context.newPage();
	const bad = [];
	let count = 0;
	const expect = (address, ok, got) => {
		count++;
		if (!ok) bad.push(`${address}: ${JSON.stringify(got).slice(0, 300)}`);
	};
	for (const [hash, first, last, begins] of [
		['#L1', 1, 1, 'line 1 of'], [`#L${odd.lines}`, odd.lines, odd.lines, `line ${odd.lines} of`],
		['#L1490', 1490, 1490, 'line 1490 of'], [`#L${odd.long}`, odd.long, odd.long, `line ${odd.long} is long`],
		['#L1501', 1501, 1501, 'line 1501 of'], ['#L40-L60', 40, 60, 'line 40 of'], ['#L2100-L2104', 2100, 2104, 'line 2100 of'],
		['#L2104-L2100', 2100, 2104, 'line 2100 of'],
		[`#L${odd.nul}`, odd.nul, odd.nul, `line ${odd.nul} has`], [`#L${odd.crlf}`, odd.crlf, odd.crlf, `line ${odd.crlf} of`],
		[`#L${odd.error}`, odd.error, odd.error, 'src/main.c:'],
	]) {
		for (const path of first > 1500 ? ['/log/', '/run/'] : ['/log/']) {
			const address = `${site.base}${path}${project.odd}${hash}`;
			const got = await shownAt(page, address);
			expect(address, got.seen && got.first === first && got.last === last && got.text.startsWith(begins), got);
			const link = await copied(page);
			const again = await shownAt(page, link);
			expect(`copied ${link}`, again.seen && again.first === first && again.last === last, again);
		}
	}
	for (const [address, status, says] of [
		[`/log/${project.odd}?line=99999#L99999`, 404, `has ${odd.lines} lines, and not line 99999`],
		[`/log/${project.odd}#L99999`, 404, `has ${odd.lines} lines, and not line 99999`],
		[`/log/${project.odd}#L99999999999999999999`, 404, `has ${odd.lines} lines, and not line 2147483647`],
		[`/log/${project.odd}?line=0`, 400, 'has to be a number from 1'], ['/log/build:99', 404, 'build:99'],
		[`/log/${project.pruned}?line=2#L2`, 410, 'was here'], [`/run/${project.pruned}`, 410, 'was here'],
		[`/event/${project.pruned}:1`, 410, 'was here'],
	]) {
		await page.goto('about:blank');
		let last;
		page.on('response', (r) => { if (r.request().isNavigationRequest()) last = r; });
		await page.goto(site.base + address);
		await page.waitForFunction((text) => document.body.innerText.includes(text), says, { timeout: 5000 }).catch(() => {});
		expect(address, last.status() === status && (await page.innerText('main')).includes(says),
			{ status: last.status(), main: await page.innerText('main') });
		page.removeAllListeners('response');
	}
	for (const b of bad) console.log('      ' + b);
	report(`U3 addresses of lines, of ${count}, that lead elsewhere`, bad.length, bad.length === 0);
	await context.close();
}

// prune removes the first run of a source. Links to the run remain.
export function prune(project) {
	const old = project.run('old', 'echo a.c:1:1: error: old; exit 1');
	execFileSync(project.blq, ['clean', 'source', 'old', '--yes'], { cwd: project.dir, stdio: 'ignore' });
	project.run('old', 'echo again');
	project.pruned = old;
}
