// Takes the pictures of pages for docs. They show real failing builds of the demo's project.
// Usage: node screenshots.mjs BLQ CHROMIUM DEMO DIR; DEMO is the folder of the demo's project, DIR gets the pictures.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from './serve.mjs';

const { chromium } = createRequire(join(process.env.UI_MODULES, 'x.js'))('playwright-core');
const [blq, executablePath, demo, pictures] = process.argv.slice(2);
const dir = mkdtempSync(join(tmpdir(), 'blq-ui-'));

const run = (...command) => spawnSync(blq, ['run', '--name', command[0] === 'go' ? 'test' : 'build', '--', ...command],
	{ cwd: dir, stdio: 'ignore', env: { ...process.env, MAKEFLAGS: '', MAKELEVEL: '' } });
const edit = (file, from, to) => writeFileSync(join(dir, file), readFileSync(join(dir, file), 'utf8').replace(from, to));

try {
	cpSync(demo, dir, { recursive: true });
	run('make', '-k');
	edit('main.c', 'counnt', '3');
	edit('sum.c', 'int n)', 'int m)');
	run('make', '-k');
	run('go', 'test', './...');
	const site = await serve(blq, dir);
	const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
	try {
		const context = await browser.newContext({ viewport: { width: 1200, height: 735 } });
		const page = await context.newPage();
		await page.goto(site.link);
		for (const [name, path, colorScheme] of [['run', '/run/build:2', 'light'], ['log', '/log/build:2?line=8', 'dark']]) {
			await page.emulateMedia({ colorScheme });
			await page.goto(site.base + path);
			await page.screenshot({ path: join(pictures, `page-${name}.png`) });
		}
	} finally {
		await browser.close();
		site.end();
	}
} finally {
	rmSync(dir, { recursive: true, force: true });
}
