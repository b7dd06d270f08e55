// Compares the page of a large log with two other ways to read the log in the same browser: the browser's own view of a
// text, and a virtual list. The virtual list loads the whole log and shows the rows in view. Both get the log from
// another server.
import { createReadStream, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { median, opened, report, timed } from './lib.mjs';

const virtualList = `<!doctype html><meta charset="utf-8"><title>virtual list</title>
<style>#view{height:90vh;overflow:auto;font:14px/18px monospace}#all{position:relative}
#all div{position:absolute;white-space:pre}</style><div id="view"><div id="all"></div></div>
<script>
const view = document.querySelector('#view'), all = document.querySelector('#all'), row = 18, highest = 33_000_000;
let lines = [];
// Browsers limit the height of an element. Therefore the position of a row is a fraction of the height.
const height = () => Math.min(lines.length * row, highest);
function show() {
	const first = Math.floor(view.scrollTop / height() * lines.length);
	const rows = lines.slice(first, first + 60).map((text, i) => {
		const div = document.createElement('div');
		div.textContent = text;
		div.dataset.n = first + i + 1;
		div.style.top = view.scrollTop + i * row + 'px';
		return div;
	});
	all.replaceChildren(...rows);
}
fetch('/log').then((r) => r.text()).then((text) => {
	lines = text.split('\\n');
	all.style.height = height() + 'px';
	view.scrollTop = (+new URLSearchParams(location.search).get('line') - 1) / lines.length * height();
	show();
	view.addEventListener('scroll', show);
});
</script>`;

// others serves the log as a text, and a virtual list of it.
async function others(file) {
	const server = createServer((request, response) => {
		if (request.url.startsWith('/log')) {
			response.setHeader('Content-Type', 'text/plain; charset=utf-8');
			createReadStream(file).pipe(response);
			return;
		}
		response.setHeader('Content-Type', 'text/html');
		response.end(virtualList);
	});
	await new Promise((ready) => { server.listen(0, '127.0.0.1', ready); });
	return { base: `http://127.0.0.1:${server.address().port}`, end: () => server.close() };
}

// ways are the ways to read a log. look waits until a line is in view, and returns the milliseconds since the URL was
// opened.
const ways = {
	'the page of the log': {
		address: (own, other, log) => `${own.base}/log/${log.ref}?line=${log.line}`,
		async look(n) {
			for (;;) {
				const now = await new Promise(requestAnimationFrame);
				const box = document.querySelector(`[data-n="${n}"]`)?.getBoundingClientRect();
				if (box && box.bottom > 0 && box.top < innerHeight) return now;
			}
		},
	},
	'the browser\u2019s view of a text': {
		address: (own, other) => `${other.base}/log`,
		async look(n) {
			let lines = 1, last;
			for (;;) { // the text comes in nodes, which are looked at once
				await new Promise(requestAnimationFrame);
				const whole = document.readyState === 'complete';
				for (let node = last ? last.nextSibling : document.body?.firstChild?.firstChild; node; node = node.nextSibling) {
					if (!node.nextSibling && !whole) break; // it may grow
					last = node;
					for (let at = -1; (at = node.data.indexOf('\n', at + 1)) >= 0;) {
						if (++lines < n) continue;
						const range = document.createRange();
						range.setStart(node, at);
						range.setEnd(node, Math.min(at + 2, node.length));
						scrollTo(0, range.getBoundingClientRect().bottom);
						return new Promise(requestAnimationFrame);
					}
				}
				if (whole) throw new Error(`the text has only ${lines} lines`);
			}
		},
	},
	'a virtual list': {
		address: (own, other, log) => `${other.base}/?line=${log.line}`,
		async look(n) {
			while (!document.querySelector(`[data-n="${n}"]`)) await new Promise(requestAnimationFrame);
			return new Promise(requestAnimationFrame);
		},
	},
};

// renderers returns the memory of all processes that render pages, in MB.
async function renderers(browser) {
	const session = await browser.newBrowserCDPSession();
	const { processInfo } = await session.send('SystemInfo.getProcessInfo');
	await session.detach();
	let sum = 0;
	for (const { type, id } of processInfo) {
		if (type !== 'renderer') continue;
		const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${id}/status`, 'utf8'));
		sum += found ? found[1] / 1024 : 0;
	}
	return sum;
}

// seen opens a line of a log. It returns the time until the line is in view, and the memory of the renderers.
async function seen(browser, site, address, look, line) {
	const context = await opened(browser, site);
	const page = await context.newPage();
	await page.goto(address, { waitUntil: 'commit' });
	const at = await page.evaluate(look, line);
	const memory = await renderers(browser);
	await context.close();
	return { at, memory };
}

// rivals opens the middle of a large log in each way. The browser's own view needs fifty times the memory of the text.
// Therefore it gets only a tenth of the lines.
export async function rivals(browser, site, project) {
	const [own, text, list] = Object.keys(ways);
	await compare(browser, site, { ref: project.middle, file: project.middleLog, line: project.middleLine, size: '20 MB' }, own, [text, list]);
	await compare(browser, site, { ref: project.large, file: project.largeLog, line: project.largeLine, size: '200 MB' }, own, [list]);
}

async function compare(browser, site, log, own, rest) {
	const other = await others(log.file);
	const limits = Object.fromEntries(rest.map((name) => [`U1 a line of ${log.size} in view: ${own}, by ${name}`, 1]));
	const memory = {};
	try {
		await timed(limits, async () => {
			const times = {};
			for (let i = 0; i < 3; i++) {
				for (const name of [own, ...rest]) {
					const found = await seen(browser, site, ways[name].address(site, other, log), ways[name].look, log.line);
					(times[name] ??= []).push(found.at);
					(memory[name] ??= []).push(found.memory);
				}
			}
			return {
				...Object.fromEntries(Object.keys(limits).map((name, i) => [name, median(times[own]) / median(times[rest[i]])])),
				steady: Math.max(...times[own]) / median(times[own]),
			};
		});
	} finally {
		other.end();
	}
	for (const name of rest) {
		const [mine, theirs] = [median(memory[own]), median(memory[name])];
		report(`U5 memory of the browser at ${log.size}: ${own}, less than ${name}`, `${mine.toFixed(0)} of ${theirs.toFixed(0)} MB`,
			mine < theirs);
	}
}
