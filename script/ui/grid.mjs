// Checks the history of many tests on one page: 200 tests in 100 runs.
import { gzipSync } from 'node:zlib';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { firstPaint } from './speed.mjs';
import { late, median, opened, plain, report, text, timed } from './lib.mjs';

const tests = 200, runs = 100;

// In each run, a tenth of all tests does not run, and some others fail.
const left = (test, run) => (test + run) % 10 === 0;
const fails = (test, run) => (test * 7 + run * 3) % 13 === 0;

function record(project) {
	for (let run = 0; run < runs; run++) {
		const out = [];
		for (let test = 0; test < tests; test++) {
			if (left(test, run)) continue;
			out.push(`=== RUN   TestNumber${test}`);
			out.push(`--- ${fails(test, run) ? 'FAIL' : 'PASS'}: TestNumber${test} (0.01s)`);
		}
		writeFileSync(join(project.dir, 'tests.log'), out.join('\n') + '\nFAIL\nexit status 1\nFAIL\tshop\t0.5s\nFAIL\n');
		project.run('grid', 'cat tests.log; exit 1');
	}
}

// named returns the runs that a text names by serials such as "3, 7–12". first is the serial of run 0.
function named(words, runs, first) {
	const ranges = [...words.matchAll(/(\d+)(?:–(\d+))?/g)].map(([, from, to]) => [+from, +(to || from)]);
	return runs.filter((run) => ranges.some(([from, to]) => from <= first + run && first + run <= to));
}

export async function grid(browser, site, project) {
	record(project);
	const path = '/tests?show=grid&source=grid';
	const html = await text(site, path);
	const kb = gzipSync(html).length / 1024;
	report(`U12 size of a grid of ${tests} tests in ${runs} runs, at most 30 KB`, `${kb.toFixed(1)} KB`, kb <= 30);
	const rows = [...html.matchAll(/<tr><th scope="row">(.*?)<\/th><td>.*?<\/td><td>(.*?)<\/td><\/tr>/gs)];
	const first = Number(/grid:(\d+)/.exec(html)[1]); // the oldest is named first
	let differ = 0;
	for (const [, name, cell] of rows) {
		const test = Number(/TestNumber(\d+)/.exec(plain(name))[1]), words = plain(cell);
		const ran = Array.from({ length: runs }, (_, run) => run).filter((run) => !left(test, run));
		const failed = ran.filter((run) => fails(test, run)), passed = ran.filter((run) => !fails(test, run));
		const of = (state) => named(new RegExp(`${state} in ([^;a-z]*)`).exec(words)?.[1] || '', ran, first);
		if (String(of('failed')) !== String(failed) || String(of('passed')) !== String(passed)) {
			differ++;
			console.log(`      TestNumber${test} failed in ${failed.length} of ${ran.length} runs: ${words.slice(0, 120)}`);
		}
	}
	report('U12 rows of the grid whose words are not what happened', differ, differ === 0 && rows.length === tests);
	const name = 'U12 first paint of the grid, by that of an empty page';
	await timed({ [name]: 3 }, async () => {
		const empty = [], grids = [];
		for (let i = 0; i < 5; i++) {
			for (const [list, at] of [[empty, '/find'], [grids, path]]) {
				const context = await opened(browser, site);
				list.push(await firstPaint(context, site.base + at));
				await context.close();
			}
		}
		return { [name]: median(grids) / median(empty), steady: late(empty) / median(empty) };
	});
}
