// Checks the pages of running runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { opened, pause, report, timed, until } from './lib.mjs';

// begin starts a run. write writes its log.
export async function begin(project) {
	const child = spawn(project.blq, ['run', '--name', 'live', '--', 'cat'], { cwd: project.dir,
		stdio: ['pipe', 'ignore', 'pipe'], env: { ...process.env, ...project.env } });
	child.stderr.resume();
	const ended = once(child, 'exit');
	return {
		write: (text) => child.stdin.write(text),
		async end() {
			child.stdin.end();
			await ended;
		},
	};
}

// following watches a running log in a browser. server can kill the server of the pages and start it again. run is the
// path of the run's page.
export async function following(browser, site, server, live, path) {
	const context = await opened(browser, site);
	const page = await context.newPage();
	const bad = [];
	const expect = (what, ok) => { if (!ok) bad.push(what); };
	const has = (text, ms) => page.waitForFunction((t) => document.querySelector('#lines')?.innerText.includes(t), text,
		{ timeout: ms }).then(() => true, () => false);
	live.write(Array.from({ length: 300 }, (_, i) => `first ${i + 1}\n`).join(''));
	await until(async () => (await page.goto(site.base + path)).ok() && await has('first 300', 1000));
	const running = await page.evaluate(() => ({ title: document.title, icon: document.querySelector('link[rel=icon]').href,
		verdict: document.querySelector('h1').innerText + document.querySelector('.verdict')?.innerText }));
	await timed({ [`U9 seconds until a new line is shown by ${site.name}`]: 2 }, async () => {
		const times = [];
		for (let i = 0; i < 5; i++) {
			const line = `mark ${Math.random()}`, began = performance.now();
			live.write(line + '\n');
			await has(line, 20_000);
			times.push((performance.now() - began) / 1000);
			await pause(200 + 150 * i);
		}
		return { [`U9 seconds until a new line is shown by ${site.name}`]: Math.max(...times), steady: await steadiness(page) };
	});
	await scrollUp(page, live, has, expect);
	await server.kill();
	live.write('while the server is gone\n');
	await pause(1500);
	await server.start(context);
	live.write('after it is back\n');
	expect('lines after a restart of the server', await has('after it is back', 30_000) && await has('while the server is gone', 0));
	const numbers = await page.evaluate(() => [...document.querySelectorAll('#lines .l')].map((l) => +l.dataset.n));
	expect('each line once', numbers.every((n, i) => n === numbers[0] + i));
	await signedOut(context, page, live, has, expect);
	live.write('src/main.c:3:10: error: it is over\n');
	await live.end();
	const done = await until(() => page.evaluate((was) => document.title !== was.title &&
		document.querySelector('link[rel=icon]').href !== was.icon && !document.querySelector('[data-live]') &&
		document.querySelector('h1').innerText + document.querySelector('.verdict')?.innerText !== was.verdict, running));
	expect(`title, icon and verdict at the end: ${await page.title()}`, done);
	for (const b of bad) console.log('      ' + b);
	report(`U9 what pages of running runs of ${site.name} lack`, bad.length, bad.length === 0);
	await context.close();
}

// signedOut loses the session while the page follows the run, and gets it back.
async function signedOut(context, page, live, has, expect) {
	const cookies = await context.cookies();
	await context.clearCookies();
	live.write('after the session\n');
	expect('a page whose session has ended says so', await until(() => page.evaluate(() =>
		document.querySelector('#said').textContent.includes('no longer shows you this run'))));
	expect('lines without a session', !await has('after the session', 100));
	await context.addCookies(cookies);
	expect('lines when the session is back', await has('after the session', 30_000));
}

// scrollUp reads further up while lines arrive, and then returns to the end.
async function scrollUp(page, live, has, expect) {
	const top = () => page.evaluate(() => { // the first line in view: there may be more above it now
		const edge = document.querySelector('#lines').getBoundingClientRect().top;
		return [...document.querySelectorAll('#lines .l')].find((l) => l.getBoundingClientRect().bottom > edge + 2).dataset.n;
	});
	const end = await top();
	await page.hover('#lines');
	await page.mouse.wheel(0, -2000);
	let before = end;
	await until(async () => { // the page has come to rest further up
		const was = before;
		before = await top();
		await pause(300);
		return before !== end && before === was;
	});
	live.write('while reading further up\n');
	await pause(2500);
	expect('scrolling up stops following', before === await top());
	for (let i = 0; i < 10; i++) await page.mouse.wheel(0, 5000);
	expect('following goes on at the end', await has('while reading further up', 10_000));
}

// steadiness measures how busy the machine is: how much longer than usual short pauses take.
async function steadiness(page) {
	const times = await page.evaluate(async () => {
		const list = [];
		for (let i = 0; i < 20; i++) {
			const began = performance.now();
			await new Promise((resolve) => { setTimeout(resolve, 20); });
			list.push(performance.now() - began);
		}
		return list;
	});
	return Math.max(...times) / 20;
}
