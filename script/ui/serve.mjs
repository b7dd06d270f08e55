// Starts `blq ui` for the scripts beside this one.
import { spawn } from 'node:child_process';

// serve starts the pages, and returns their address, the link that opens them, and what ends them.
export async function serve(blq, cwd) {
	const child = spawn(blq, ['ui', '--no-open'], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
	const link = await new Promise((resolve, reject) => {
		child.stdout.once('data', (d) => resolve(String(d).trim()));
		child.once('exit', (code) => reject(new Error(`blq ui ended with ${code}`)));
	});
	return { link, base: new URL(link).origin, end: () => child.kill() };
}
