// Makes the pages quicker to use. Everything is reachable without it.

const $ = (s) => document.querySelector(s);
const lines = $('#lines');

// A link to a line that is not on the page: the server has it.
function toLine() {
	const m = /^#L(\d+)/.exec(location.hash);
	if (!m || !lines || document.getElementById(location.hash.slice(1).split('-')[0])) return;
	const at = new URL(location);
	at.pathname = lines.dataset.log;
	at.searchParams.set('line', m[1]);
	location.replace(at);
}
toLine();
addEventListener('hashchange', toLine);

const range = /^#L(\d+)-L?(\d+)$/.exec(location.hash);
if (range) {
	for (let n = +range[1]; n <= +range[2]; n++) document.getElementById('L' + n)?.classList.add('at');
	document.getElementById('L' + range[1])?.scrollIntoView();
}
const at = $('.l.at');
if (at && lines) {
	lines.scrollTop += at.getBoundingClientRect().top - lines.getBoundingClientRect().top - lines.clientHeight / 4;
	if (location.hash) at.focus({preventScroll: true});
}

function say(text) {
	$('#said').textContent = text;
}

const on = $('#keys');
if (on) {
	on.checked = localStorage.keys !== 'off';
	on.addEventListener('change', () => { localStorage.keys = on.checked ? 'on' : 'off'; });
}
if (lines && localStorage.wrap === 'on') lines.classList.add('wrap');

const keys = {
	w() {
		if (lines) localStorage.wrap = lines.classList.toggle('wrap') ? 'on' : 'off';
	},
	y() {
		const line = $('.l.at') || $('.l:target') || $('.l');
		if (!line) return;
		const link = new URL(lines.dataset.log, location);
		link.searchParams.set('line', line.dataset.n);
		link.hash = 'L' + line.dataset.n;
		navigator.clipboard.writeText(link.href).then(() => say('copied ' + link.href), () => say(link.href));
	},
};
addEventListener('keydown', (e) => {
	if (e.ctrlKey || e.metaKey || e.altKey || (on && !on.checked) || e.target.closest('input, select, textarea')) return;
	const link = document.querySelector('[data-key="' + CSS.escape(e.key) + '"]');
	if (link) {
		e.preventDefault();
		link.click();
	} else if (keys[e.key]) {
		e.preventDefault();
		keys[e.key]();
	}
});

// A running log grows. It is followed while its end is in view.
async function follow(wait) {
	const last = lines.lastElementChild;
	const n = last ? +last.dataset.n : 0;
	try {
		const path = lines.dataset.after;
		const answer = await (await fetch(path + (n ? '?line=' + n : ''))).json();
		const atEnd = lines.scrollTop + lines.clientHeight > lines.scrollHeight - 40;
		for (const l of answer.lines) lines.append(row(l));
		if (atEnd) lines.scrollTop = lines.scrollHeight;
		if (!answer.running) {
			location.reload();
			return;
		}
		wait = 1000;
	} catch {
		wait = Math.min(wait * 2, 15000);
	}
	setTimeout(follow, wait, wait);
}

function row(l) {
	const div = document.createElement('div');
	div.className = 'l';
	div.id = 'L' + l.n;
	div.dataset.n = l.n;
	const text = document.createElement('bdi');
	for (const s of l.s || []) {
		const span = document.createElement('span');
		if (s.c) span.className = s.c;
		span.textContent = s.t;
		text.append(span);
	}
	div.append(text);
	return div;
}
if (lines && $('[data-live]')) setTimeout(follow, 1000, 1000);
