// Starts `blq ui` for the other scripts in this folder.
import { spawn } from 'node:child_process';

// serve starts the pages. It returns their address, the link that opens them, and a function that stops them.
export async function serve(blq, cwd, addr = '127.0.0.1:0') {
	const child = spawn(blq, ['ui', '--no-open', '--addr', addr], { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
	const link = await new Promise((resolve, reject) => {
		child.stdout.once('data', (d) => resolve(String(d).trim()));
		child.once('exit', (code) => reject(new Error(`blq ui ended with ${code}`)));
	});
	const { origin, host } = new URL(link);
	return { name: 'blq ui', link, base: origin, host, pid: child.pid, end: (signal) => child.kill(signal) };
}
