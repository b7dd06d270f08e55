// Measures how fast large logs open, and how fast one can go from error to error.
import { late, median, opened, quick, report, timed } from './lib.mjs';

// firstPaint opens a URL without caches. It returns the milliseconds until the browser first painted text.
export async function firstPaint(context, address) {
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

// opening compares a large log with an empty page and with a log of 2 MB. Each is opened in a new browser, so that
// nothing is cached.
export async function opening(browser, site, project) {
	const cold = async (path) => {
		const context = await opened(browser, site);
		const at = await firstPaint(context, site.base + path);
		await context.close();
		return at;
	};
	await cold('/find');
	await timed({
		'U1 first paint of a large log, by that of an empty page': 3,
		'U1 first paint of a large log, by that of one of 2 MB': 1.25,
	}, async () => {
		const empty = [], large = [], small = [];
		for (let i = 0; i < 10; i++) {
			empty.push(await cold('/find'));
			large.push(await cold(`/log/${project.large}?line=${project.largeLine}`));
			small.push(await cold(`/log/${project.small}?line=${project.smallLine}`));
		}
		return {
			'U1 first paint of a large log, by that of an empty page': median(large) / median(empty),
			'U1 first paint of a large log, by that of one of 2 MB': median(large) / median(small),
			steady: late(empty) / median(empty),
		};
	});
}

// jumping goes from error to error with the key n.
export async function jumping(browser, site, project) {
	const jumps = quick ? 10 : 40;
	let nodes = 0;
	await timed({
		'U2 to the next error with a key, median, by the first paint of an empty page': 1,
		'U2 the same, of the slowest of twenty': 2,
	}, async () => {
		const empty = [], times = [];
		const context = await opened(browser, site);
		const page = await context.newPage();
		await page.goto(`${site.base}/log/${project.large}?line=1`);
		await page.evaluate(watchJumps);
		for (let i = 0; i < jumps; i++) {
			if (i % 4 === 0) {
				const cold = await opened(browser, site);
				empty.push(await firstPaint(cold, site.base + '/find'));
				await cold.close();
			}
			await page.keyboard.press('n');
			await page.waitForTimeout(250);
			await page.waitForFunction((n) => globalThis.jumps?.length > n, i, { timeout: 20_000 });
		}
		times.push(...await page.evaluate(() => globalThis.jumps));
		nodes = await page.evaluate(() => document.querySelectorAll('*').length);
		await context.close();
		return {
			'U2 to the next error with a key, median, by the first paint of an empty page': median(times) / median(empty),
			'U2 the same, of the slowest of twenty': late(times) / median(empty),
			steady: late(empty) / median(empty),
		};
	});
	report('U2 elements of the page after that, at most 25000', nodes, nodes <= 25_000);
}

// watchJumps records the time from a key to the frame in which another error is in view and has the focus.
function watchJumps() {
	globalThis.jumps = [];
	addEventListener('keydown', (e) => {
		if (e.key !== 'n') return;
		const before = document.activeElement?.dataset.n;
		const look = () => {
			const at = document.activeElement, box = at.getBoundingClientRect();
			if (at.matches('.l.at.error') && at.dataset.n !== before && box.top >= 0 && box.bottom <= innerHeight) {
				setTimeout(() => globalThis.jumps.push(performance.now() - e.timeStamp));
				return;
			}
			requestAnimationFrame(look);
		};
		requestAnimationFrame(look);
	}, { capture: true });
}
