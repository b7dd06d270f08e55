// Measures how much work the browser and the server have when a large log is read.
import { readFileSync } from 'node:fs';
import { late, median, opened, report, text, timed } from './lib.mjs';

const mb = 1 << 20;

// scrolling goes down a large log with the wheel, from its middle, in 300 steps.
export async function scrolling(browser, site, project) {
	const name = 'U5 slowest of twenty frames while one scrolls, in frames';
	let lines = 0, nodes = 0, heap = 0;
	await timed({ [name]: 2 }, async () => {
		const context = await opened(browser, site);
		const page = await context.newPage();
		await page.goto(`${site.base}/log/${project.large}?line=${project.largeLine}#L${project.largeLine}`);
		const idle = await page.evaluate(frames, 0);
		await page.hover('#lines');
		await page.mouse.wheel(0, 1);
		const times = await page.evaluate(frames, 300);
		lines = await page.evaluate(() => +document.querySelector('#lines').lastElementChild.dataset.n);
		nodes = await page.evaluate(() => {
			let n = 0;
			for (const w = document.createTreeWalker(document); w.nextNode();) n++;
			return n;
		});
		const devtools = await context.newCDPSession(page);
		await devtools.send('HeapProfiler.collectGarbage');
		heap = (await devtools.send('Runtime.getHeapUsage')).usedSize;
		await context.close();
		return { [name]: late(times) / Math.max(median(idle), 1000 / 60), steady: late(idle) / median(idle) };
	});
	const passed = lines - project.largeLine;
	report('U5 lines passed by 300 steps, at least 2000', passed, passed >= 2000);
	report('U5 nodes of the page after that, at most 25000', nodes, nodes <= 25_000);
	report('U5 memory of its scripts, at most 20 MB', `${(heap / mb).toFixed(1)} MB`, heap <= 20 * mb);
}

// frames scrolls one step per frame, and returns the duration of each frame. Without steps it only waits.
async function frames(steps) {
	const log = document.querySelector('#lines'), times = [];
	const frame = () => new Promise(requestAnimationFrame);
	for (let i = 0, last = await frame(); i < (steps || 100); i++) {
		if (steps) log.scrollTop += 150;
		const now = await frame();
		times.push(now - last);
		last = now;
	}
	return times;
}

const memory = (pid, what) => Number(new RegExp(`${what}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

// readers simulates twenty people who read a large log at the same time, window by window.
export async function readers(site, project) {
	const read = async (i, windows) => {
		for (let w = 0; w < windows; w++) {
			const line = 1 + (i * 31_337 + w * 588) % (2 * project.largeLine);
			await text(site, `/log/${project.large}?line=${line}`);
		}
	};
	await Promise.all(Array.from({ length: 20 }, (_, i) => read(i, 5)));
	const before = memory(site.pid, 'VmRSS');
	await Promise.all(Array.from({ length: 20 }, (_, i) => read(i, 20)));
	const after = memory(site.pid, 'VmRSS');
	report('U5 memory of the server that twenty readers add over time, at most 20 MB',
		`${(after - before).toFixed(1)} MB, to ${after.toFixed(0)} MB`, after - before <= 20);
}
