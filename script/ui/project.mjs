// Makes a project with runs for the check of pages: failed ones, one with a large log, and one whose log is hostile.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const large = 400_000; // lines
const short = 40_000;

export function makeProject(blq, dir) {
	const run = (name, script) => { // the same command each time, or runs are not compared
		writeFileSync(join(dir, name + '.sh'), script + '\n');
		spawnSync(blq, ['run', '--name', name, '--', 'sh', name + '.sh'], { cwd: dir, stdio: 'ignore' });
	};
	execFileSync('git', ['init', '-q'], { cwd: dir });
	mkdirSync(join(dir, 'src'));
	writeFileSync(join(dir, 'src', 'main.c'), 'int main(void)\n{\n\tint x = foo + 1;\n\treturn y;\n}\n');
	const errors = 'src/main.c:3:10: error: \\047foo\\047 undeclared (first use in this function)\\n' +
		'some text\\nsrc/main.c:4:9: error: \\047y\\047 undeclared (first use in this function)\\n' +
		'src/main.c:3:6: warning: unused variable \\047x\\047 [-Wunused-variable]\\nmake: *** [main.o] Error 1\\n';
	run('build', 'echo fine');
	run('build', `printf "make all\\n\\033[31mcompiling\\033[0m\\n${errors}"; exit 2`);
	run('build', `printf "make all\\n\\033[1;32mcompiling\\033[0m main.c\\n${errors}"; exit 2`);
	const log = (name, lines) => {
		const out = [];
		for (let i = 1; i <= lines; i++) {
			out.push(i % 20_000 === 0 ? `src/main.c:${i % 97 + 1}:5: error: \u2018v${i}\u2019 undeclared` :
				`[${i}] cc -O2 -c src/file${i % 713}.c -o build/file${i % 713}.o`);
		}
		writeFileSync(join(dir, name + '.log'), out.join('\n') + '\n');
		run(name, `cat ${name}.log; exit 1`);
	};
	log('large', large);
	log('short', short);
	writeFileSync(join(dir, 'hostile.log'), '<script>alert(1)</script>\n' +
		'\x1b]8;;javascript:alert(1)\x1b\\click\x1b]8;;\x1b\\\n\u202eevil\u202c <img src=x onerror=alert(1)>\n' +
		'"\'><svg/onload=alert(1)> <iframe src=https://example.com></iframe>\n' +
		'a.c:1:1: error: <img src=https://example.com/x onerror=alert(1)>\n' + 'x'.repeat(1 << 20) + '\n');
	run('hostile', 'cat hostile.log; exit 1');
	return { failed: 'build:3', large: 'large:4', largeLine: large / 2, largeLog: join(dir, 'large.log'), short: 'short:5',
		shortLine: short / 2, hostile: 'hostile:6',
		terms: ['undeclared', 'no such text', 'cc -O2', 'file712.c', '[399999]', '.o', 'error', 'main.c:9', "'", '\\'] };
}
