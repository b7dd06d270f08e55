// This script makes the pages quicker to use. All pages also work without it.

const $ = (s, within = document) => within.querySelector(s);
const most = 2400; // max lines of a log on a page
const often = 500; // milliseconds between two requests for a running log
let lines; // the log on the page, null for none
let shown; // path and query of the page

// arrive prepares a page after it was opened, or after it has replaced another page.
function arrive() {
	lines = $('#lines');
	shown = location.pathname + location.search;
	for (const button of document.querySelectorAll('[data-copy]')) {
		button.hidden = false;
		button.addEventListener('click', () => copy($('#' + button.dataset.copy)));
	}
	if (!lines) return;
	lines.classList.toggle('wrap', localStorage.wrap === 'on');
	lines.classList.toggle('untimed', localStorage.times === 'off');
	if (toLine()) return;
	mark();
	moved = false;
	for (const input of ['wheel', 'touchmove', 'pointerdown', 'keydown']) {
		lines.addEventListener(input, () => { moved = true; }, {passive: true});
	}
	lines.addEventListener('scroll', more, {passive: true});
	if (!location.hash && lines.hasAttribute('data-end')) lines.scrollTop = lines.scrollHeight;
	if (!$('[data-live]')) return;
	setTimeout(follow, often, lines, often);
}

function say(text) {
	$('#said').textContent = text;
}

// copy copies the text of a field, or selects it if the browser does not let it.
function copy(field) {
	field.select();
	navigator.clipboard.writeText(field.value).then(() => say('copied'), () => say('selected: copy it with your keys'));
}

// logURL returns the URL of a line of the log on the page.
function logURL(n) {
	const to = new URL(lines.dataset.log, location);
	to.searchParams.set('line', n);
	return to;
}

// toLine follows a link to a line that is not on the page. It requests that part of the log from the server.
function toLine() {
	const m = /^#L(\d+)(?:-L?(\d+))?$/.exec(location.hash);
	if (!m || !lines) return false;
	const first = Math.min(+m[1], +(m[2] || m[1]), 2 ** 31 - 1) || 1; // the server takes no larger number
	if (document.getElementById('L' + first)) return false;
	const to = logURL(first);
	to.hash = location.hash;
	if (to.pathname + to.search === shown) return false;
	location.replace(to);
	return true;
}

// mark marks the lines in the URL, and scrolls to them.
function mark() {
	const range = /^#L(\d+)(?:-L?(\d+))?$/.exec(location.hash);
	if (range) {
		const [first, last] = [+range[1], +(range[2] || range[1])].sort((a, b) => a - b);
		for (const l of lines.children) l.classList.toggle('at', +l.dataset.n >= first && +l.dataset.n <= last);
	}
	const at = $('.l.at', lines);
	if (!at) return;
	lines.scrollTop += at.getBoundingClientRect().top - lines.getBoundingClientRect().top - lines.clientHeight / 4;
	if (!location.hash) return;
	at.tabIndex = -1;
	at.focus({preventScroll: true});
	lines.scrollIntoView({block: 'nearest'});
}

addEventListener('hashchange', () => {
	if (lines && !toLine()) mark();
});

// fetched returns a parsed page. The scripts of the page do not run.
function fetched(address) {
	return new Promise((resolve, reject) => {
		const r = new XMLHttpRequest();
		r.open('GET', address);
		r.responseType = 'document';
		r.onload = () => (r.status === 200 && r.response ? resolve(r.response) : reject(r.status));
		r.onerror = reject;
		r.send();
	});
}

// show replaces this page by another one.
function show(page) {
	document.title = page.title;
	for (const part of ['link[rel=icon]', 'header', 'main']) $(part).replaceWith($(part, page));
	arrive();
}

// Keys go from error to error without reloading the page. After each step the next page is fetched in advance.
let turn = Promise.resolve(), ahead = {};

async function step(key) {
	const link = $(`a[data-key="${key}"]`);
	if (!link) return;
	const to = link.href;
	try {
		const coming = ahead.to === to ? ahead.page : fetched(to);
		ahead = {}; // use a fetched page only once
		const page = await coming;
		history.pushState(null, '', to);
		show(page);
	} catch {
		location = to;
		return;
	}
	if (lines) say($('.l.at', lines) ? 'line ' + $('.l.at', lines).dataset.n : '');
	const next = $(`a[data-key="${key}"]`);
	if (!next) return;
	ahead = {to: next.href, page: fetched(next.href)};
	ahead.page.catch(() => {}); // on an error, the next step opens the page itself
}

addEventListener('popstate', () => {
	if (location.pathname + location.search !== shown) fetched(location.href).then(show, () => location.reload());
});

const on = $('#keys');
if (on) {
	on.checked = localStorage.keys !== 'off';
	on.addEventListener('change', () => { localStorage.keys = on.checked ? 'on' : 'off'; });
}

const keys = {
	w() {
		if (lines) localStorage.wrap = lines.classList.toggle('wrap') ? 'on' : 'off';
	},
	t() {
		if (lines) localStorage.times = lines.classList.toggle('untimed') ? 'off' : 'on';
	},
	':'() {
		$('input[name=line]')?.select();
	},
	'?'() {
		$('footer details').open = true;
		$('footer summary').focus();
	},
	y() {
		if (!lines) return;
		const at = lines.querySelectorAll('.l.at');
		const first = at[0] || $('.l:target', lines) || $('.l', lines);
		if (!first) return;
		const link = logURL(first.dataset.n);
		link.hash = 'L' + first.dataset.n + (at.length > 1 ? '-L' + at[at.length - 1].dataset.n : '');
		navigator.clipboard.writeText(link.href).then(() => say('copied ' + link.href), () => say(link.href));
	},
};
addEventListener('keydown', (e) => {
	if (e.ctrlKey || e.metaKey || e.altKey || (on && !on.checked) || e.target.closest('input, select, textarea')) return;
	const link = $('[data-key="' + CSS.escape(e.key) + '"]');
	if (!link && !keys[e.key]) return;
	e.preventDefault();
	if (e.key === 'n' || e.key === 'p') turn = turn.then(() => step(e.key));
	else if (link) link.click();
	else keys[e.key]();
});

const number = (l) => (l ? +l.dataset.n : 0);

// more fetches lines before or after the page's lines when the user scrolls there, and removes distant lines.
let fetching = false, moved = false, before = 0;
async function more() {
	const log = lines, top = log.scrollTop, down = top > before;
	before = top;
	const near = down ? log.scrollHeight - top < 3 * log.clientHeight : top < 2 * log.clientHeight;
	const link = near && $(`.${down ? 'later' : 'earlier'}:not([hidden]) a`);
	if (!moved || fetching || !link) return;
	fetching = true;
	try {
		const page = await fetched(link.href);
		if (log === lines) extend([...$('#lines', page).children], down, +$('#lines', page).dataset.total);
	} catch { // the user can still follow the link
	} finally {
		fetching = false;
	}
}

function extend(rows, down, total) {
	const first = number(lines.firstElementChild), last = number(lines.lastElementChild);
	const fresh = rows.filter((l) => (down ? number(l) > last : number(l) < first));
	for (const l of fresh) l.classList.remove('at');
	if (down) {
		lines.append(...fresh);
	} else {
		const height = lines.scrollHeight;
		lines.prepend(...fresh);
		lines.scrollTop += lines.scrollHeight - height;
	}
	trim(down);
	where(total);
}

// trim removes lines over the max number. It removes the first lines if top is true, and else the last lines.
function trim(top) {
	const many = lines.childElementCount - most;
	if (many <= 0) return;
	const height = lines.scrollHeight;
	for (const l of [...lines.children].slice(...(top ? [0, many] : [most]))) l.remove();
	if (top) lines.scrollTop -= height - lines.scrollHeight;
}

// where shows which lines are on the page, and links to the lines before and after them.
function where(total) {
	const first = number(lines.firstElementChild), last = number(lines.lastElementChild);
	lines.dataset.total = total;
	if (last) {
		$('.where').textContent = `Lines ${first} to ${last} of ${total}`;
		lines.ariaLabel = `Log, lines ${first} to ${last}`;
	}
	for (const [way, line, is] of [['earlier', first - 576, first > 1], ['later', last + 1, last < total]]) {
		const p = $('.' + way), link = $('a', p), to = new URL(link.href);
		p.hidden = !is;
		to.searchParams.set('line', Math.max(1, line));
		to.hash = 'L' + Math.max(1, line);
		link.href = to;
	}
}

const atEnd = () => $('.later').hidden && lines.scrollTop + lines.clientHeight > lines.scrollHeight - 40;

const refusals = [401, 403, 404, 410]; // statuses of signed-out people and of removed runs

// follow shows new lines of a running log while the end of the log is in view.
async function follow(log, wait) {
	if (log !== lines) return;
	try {
		const n = number(lines.lastElementChild);
		const from = new URL(lines.dataset.after, location);
		if (n) from.searchParams.set('line', n);
		const answer = await fetch(from);
		if (!answer.ok) throw answer.status;
		const {lines: fresh, total, running} = await answer.json();
		if (log !== lines) return;
		const follows = atEnd(); // the user may have scrolled during the request
		if (wait > often) say('');
		wait = often;
		if (follows) {
			for (const l of fresh) {
				if (document.getElementById('L' + l.n)) $('#L' + l.n).replaceWith(row(l)); // it was incomplete
				else lines.append(row(l));
			}
			trim(true);
			lines.scrollTop = lines.scrollHeight;
			if (fresh.length > 500) wait = 50;
		}
		where(total);
		if (!running) {
			await finish(follows);
			return;
		}
	} catch (why) {
		wait = Math.min(wait * 2, 8000);
		say(refusals.includes(why) ? 'The server no longer shows you this run. Reload the page to see why.'
			: 'The server does not answer. The page goes on when it does.');
	}
	setTimeout(follow, wait, log, wait);
}

// finish shows the result of the run. A user who reads an earlier part of the log stays there.
async function finish(follows) {
	const page = await fetched(location.href), log = lines, top = lines.scrollTop, seen = $('#lines', page);
	if (!follows) {
		for (const l of log.children) l.className = $('#' + l.id, seen)?.className || 'l';
		seen.replaceWith(log);
	}
	show(page);
	if (follows) return;
	log.scrollTop = top;
	where(+seen.dataset.total);
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

arrive();
