// Makes a project with runs for the checks of pages: failed runs, large runs, and a run with a hostile log.
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { quick } from './lib.mjs';

const large = quick ? 400_000 : 2_500_000; // lines; all of them are 200 MB
const middle = 250_000; // 20 MB
const small = 25_000; // 2 MB
const mb = 1 << 20;

export const compilerErrors = 'src/main.c:3:10: error: \\047foo\\047 undeclared (first use in this function)\\n' +
	'some text\\nsrc/main.c:4:9: error: \\047y\\047 undeclared (first use in this function)\\n' +
	'src/main.c:3:6: warning: unused variable \\047x\\047 [-Wunused-variable]\\nmake: *** [main.o] Error 1\\n';

// emptyProject returns a project without runs. env is set for its commands.
export function emptyProject(blq, dir) {
	const p = { blq, dir, env: {} };
	p.run = (name, script) => { // the same command each time, or runs are not compared
		writeFileSync(join(dir, name + '.sh'), script + '\n');
		const ended = spawnSync(blq, ['run', '--name', name, '--', 'sh', name + '.sh'],
			{ cwd: dir, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8', env: { ...process.env, ...p.env } });
		const ref = execFileSync(blq, ['history', '--limit', '1', '--json'], { cwd: dir, encoding: 'utf8' });
		const newest = JSON.parse(ref).runs[0];
		if (newest.source_name !== name) throw new Error(`${name} is not recorded: ${ended.stderr}`);
		return `${name}:${newest.run_id}`;
	};
	execFileSync('git', ['init', '-q'], { cwd: dir });
	mkdirSync(join(dir, 'src'));
	writeFileSync(join(dir, 'src', 'main.c'), 'int main(void)\n{\n\tint x = foo + 1;\n\treturn y;\n}\n');
	return p;
}

export function makeProject(blq, dir) {
	const p = emptyProject(blq, dir);
	p.run('build', 'echo fine');
	p.run('build', `printf "make all\\n\\033[31mcompiling\\033[0m\\n${compilerErrors}"; exit 2`);
	p.failed = p.run('build', `printf "make all\\n\\033[1;32mcompiling\\033[0m main.c\\n${compilerErrors}"; exit 2`);
	p.largeLog = writeLog(dir, 'large', large);
	p.large = p.run('large', 'cat large.log; exit 1');
	p.largeLine = large / 2;
	if (!quick) {
		p.middleLog = writeLog(dir, 'middle', middle);
		p.middle = p.run('middle', 'cat middle.log; exit 1');
		p.middleLine = middle / 2;
	}
	writeLog(dir, 'small', small);
	p.small = p.run('small', 'cat small.log; exit 1');
	p.smallLine = small / 2;
	writeOdd(dir);
	p.odd = p.run('odd', 'cat odd.log; exit 1');
	const name = 'n'.repeat(100), word = 'x'.repeat(300);
	p.long = p.run(name, `printf "src/${word}.c:3:10: error: ${word} undeclared\\n" # ${word}\nexit 1`);
	writeHostile(dir);
	p.hostile = p.run('hostile', 'cat hostile.log; exit 1');
	p.terms = ['undeclared', 'no such text', 'cc -O2', 'file712.c', '[25000]', '.o', 'error', 'main.c:9', "'", '\\', '-c',
		' -o build/', ']', 'src/', 'CC', 'v', '(', '\u2018', 'file1', '1] cc'];
	return p;
}

// writeLog writes a log of a build with fifty errors.
function writeLog(dir, name, lines) {
	const file = join(dir, name + '.log'), out = openSync(file, 'w');
	for (let first = 1; first <= lines; first += 10_000) {
		const part = [];
		for (let i = first; i < first + 10_000 && i <= lines; i++) {
			part.push(i % (lines / 50) === 0 ? `src/main.c:${i % 97 + 1}:5: error: \u2018v${i}\u2019 undeclared` :
				`[${i}] cc -O2 -Wall -Iinclude -c src/module${i % 29}/file${i % 713}.c -o build/file${i % 713}.o`);
		}
		writeSync(out, part.join('\n') + '\n');
	}
	closeSync(out);
	return file;
}

// odd has the line numbers of unusual lines in odd.log: NUL bytes, CRLF line ends, a very long line, an error.
export const odd = { lines: 3000, nul: 700, crlf: 900, long: 1500, error: 2000 };

function writeOdd(dir) {
	const list = [];
	for (let i = 1; i <= odd.lines; i++) list.push(`line ${i} of the odd log`);
	list[odd.nul - 1] = `line ${odd.nul} has \0 two \0 NULs`;
	for (let i = 0; i < 5; i++) list[odd.crlf - 1 + i] += '\r';
	list[odd.long - 1] = `line ${odd.long} is long ` + 'y'.repeat(10 * mb);
	list[odd.error - 1] = `src/main.c:${odd.error}:1: error: line ${odd.error} is wrong`;
	writeFileSync(join(dir, 'odd.log'), list.join('\n') + '\n');
}

function writeHostile(dir) {
	const file = join(dir, 'hostile.log'), out = openSync(file, 'w');
	writeSync(out, '<script>alert(1)</script>\n' +
		'\x1b]8;;javascript:alert(1)\x1b\\click\x1b]8;;\x1b\\\n\u202eevil\u202c <img src=x onerror=alert(1)>\n' +
		'"\'><svg/onload=alert(1)> <iframe src=https://example.com></iframe>\n' +
		'a.c:1:1: error: <img src=https://example.com/x onerror=alert(1)>\n' +
		'\x1b[2J\x1b[999;999H\x1b]0;title\x07 {{.}} ${x} </bdi></div></main><form action=https://example.com><input name=key>\n' +
		'\x1b[38;5;300m\x1b[48;2;1;2;3mcolours\x1b[;;;m \u2066\u2067 \ufeff </style><base href=https://example.com/>\n');
	const part = 'x'.repeat(mb);
	for (let i = 0; i < (quick ? 16 : 1024); i++) writeSync(out, part);
	writeSync(out, '\nafter the long line\n');
	closeSync(out);
}
