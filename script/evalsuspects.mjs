// Measures how often triage names the guilty commit: evalsuspects.mjs BLQ DIR. It makes twenty small repositories in DIR,
// in Go, Python and Node.js. At first the tests of a repository pass. Then seven commits follow. One of them changes a
// component and makes the test of another component fail. The others change components, tests and documents without harm.
// docs/graph.md has the result. The script needs Go, Node.js and pytest.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const [blq, top] = process.argv.slice(2);

// A component has a file, a test, and their texts. A regression replaces a text in a file.
const go = {
  command: ["go", "test", "./..."],
  files: {
    "go.mod": "module shop\n\ngo 1.21\n",
    "money/money.go": "package money\n\n// Round rounds cents down to tens.\nfunc Round(cents int) int {\n\treturn cents / 10 * 10\n}\n\n// Format writes cents.\nfunc Format(cents int) string {\n\tif cents < 0 {\n\t\treturn \"-\" + Format(-cents)\n\t}\n\treturn digits(cents/100) + \".\" + digits(cents%100/10) + digits(cents%10)\n}\n\nfunc digits(n int) string {\n\tif n < 10 {\n\t\treturn string(rune('0' + n))\n\t}\n\treturn digits(n/10) + digits(n%10)\n}\n",
    "tax/tax.go": "package tax\n\nimport \"shop/money\"\n\n// Rate is the tax in percent.\nconst Rate = 20\n\n// Of returns the tax of a price.\nfunc Of(price int) int {\n\treturn money.Round(price * Rate / 100)\n}\n\n// Free reports whether a kind of goods is free of tax.\nfunc Free(kind string) bool {\n\treturn kind == \"book\"\n}\n",
    "cart/cart.go": "package cart\n\nimport \"shop/tax\"\n\n// Item is what is bought.\ntype Item struct {\n\tKind  string\n\tPrice int\n}\n\n// Total returns the price of items with tax.\nfunc Total(items []Item) int {\n\tsum := 0\n\tfor _, i := range items {\n\t\tsum += i.Price\n\t\tif !tax.Free(i.Kind) {\n\t\t\tsum += tax.Of(i.Price)\n\t\t}\n\t}\n\treturn sum\n}\n",
    "order/order.go": "package order\n\nimport (\n\t\"shop/cart\"\n\t\"shop/money\"\n)\n\n// Text returns an order for people.\nfunc Text(items []cart.Item) string {\n\treturn \"to pay: \" + money.Format(cart.Total(items))\n}\n",
    "search/search.go": "package search\n\n// Has reports whether a list has a word.\nfunc Has(list []string, word string) bool {\n\tfor _, w := range list {\n\t\tif w == word {\n\t\t\treturn true\n\t\t}\n\t}\n\treturn false\n}\n",
    "auth/auth.go": "package auth\n\nimport \"shop/search\"\n\n// May reports whether somebody may do something.\nfunc May(who string, what string) bool {\n\treturn what == \"read\" || search.Has([]string{\"ann\", \"bob\"}, who)\n}\n",
    "web/web.go": "package web\n\nimport (\n\t\"shop/auth\"\n\t\"shop/cart\"\n\t\"shop/order\"\n)\n\n// Page returns the page of an order.\nfunc Page(who string, items []cart.Item) string {\n\tif !auth.May(who, \"buy\") {\n\t\treturn \"forbidden\"\n\t}\n\treturn order.Text(items)\n}\n",
    "cart/cart_test.go": "package cart\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {\n\tif got := Total([]Item{{\"toy\", 1005}}); got != 1205 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n\nfunc TestBooks(t *testing.T) {\n\tif got := Total([]Item{{\"book\", 1000}}); got != 1000 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n",
    "order/order_test.go": "package order\n\nimport (\n\t\"shop/cart\"\n\t\"testing\"\n)\n\nfunc TestText(t *testing.T) {\n\tif got := Text([]cart.Item{{Kind: \"book\", Price: 1234}}); got != \"to pay: 12.34\" {\n\t\tt.Errorf(\"got %q\", got)\n\t}\n}\n",
    "web/web_test.go": "package web\n\nimport (\n\t\"shop/cart\"\n\t\"testing\"\n)\n\nfunc TestPage(t *testing.T) {\n\tif got := Page(\"ann\", []cart.Item{{Kind: \"toy\", Price: 100}}); got != \"to pay: 1.20\" {\n\t\tt.Errorf(\"got %q\", got)\n\t}\n\tif got := Page(\"eve\", nil); got != \"forbidden\" {\n\t\tt.Errorf(\"got %q\", got)\n\t}\n}\n",
    "search/search_test.go": "package search\n\nimport \"testing\"\n\nfunc TestHas(t *testing.T) {\n\tif !Has([]string{\"a\"}, \"a\") {\n\t\tt.Error(\"a\")\n\t}\n}\n",
  },
  harmless: [
    ["money/money.go", (s) => s + "\n// Zero is nothing.\nconst Zero = 0\n"],
    ["tax/tax.go", (s) => s + "\n// Half returns half of a tax.\nfunc Half(n int) int {\n\treturn n / 2\n}\n"],
    ["search/search.go", (s) => s.replace("a list has a word", "a list has the word")],
    ["cart/cart_test.go", (s) => s + "\nfunc TestNothing(t *testing.T) {\n\tif Total(nil) != 0 {\n\t\tt.Error(\"not 0\")\n\t}\n}\n"],
    ["cart/cart.go", (s) => s + "\n// Count returns the number of items.\nfunc Count(items []Item) int {\n\treturn len(items)\n}\n"],
    ["README.md", () => "# Shop\n"],
  ],
  regressions: [
    ["money/money.go", "cents / 10 * 10", "(cents + 9) / 10 * 10"],
    ["money/money.go", 'digits(cents/100) + "."', 'digits(cents/100) + ","'],
    ["tax/tax.go", "Rate = 20", "Rate = 19"],
    ["tax/tax.go", 'kind == "book"', 'kind == "books"'],
    ["search/search.go", "if w == word {", "if w == word && len(list) == 1 {"],
    ["auth/auth.go", '"ann", "bob"', '"bob"'],
    ["money/money.go", "digits(cents%100/10) + digits(cents%10)", "digits(cents%10) + digits(cents%100/10)"],
    ["tax/tax.go", "price * Rate / 100", "price * Rate / 1000"],
  ],
};

const python = {
  command: ["pytest", "-q", "-p", "no:cacheprovider"],
  files: {
    "conftest.py": "",
    "shop/__init__.py": "",
    "shop/units/__init__.py": "from .length import to_metres\n",
    "shop/units/length.py": "FACTORS = {'m': 1, 'km': 1000, 'cm': 0.01}\n\n\ndef to_metres(value, unit):\n    return value * FACTORS[unit]\n\n\ndef parse(text):\n    number, unit = text.split()\n    return to_metres(float(number), unit)\n",
    "shop/routes/__init__.py": "",
    "shop/routes/planner.py": "from shop.units import to_metres\n\n\nclass Route:\n    def __init__(self, legs):\n        self.legs = legs\n\n    def metres(self):\n        return sum(to_metres(v, u) for v, u in self.legs)\n\n    def is_short(self):\n        return self.metres() < 5000\n",
    "shop/pricing/__init__.py": "",
    "shop/pricing/tariff.py": "from shop.routes.planner import Route\n\nBASE = 3\n\n\ndef price(route: Route):\n    if route.is_short():\n        return BASE\n    return BASE + route.metres() / 1000\n",
    "shop/text/__init__.py": "",
    "shop/text/render.py": "def table(rows):\n    return '\\n'.join(' | '.join(str(c) for c in row) for row in rows)\n\n\ndef title(s):\n    return s[:1].upper() + s[1:]\n",
    "shop/report/__init__.py": "",
    "shop/report/report.py": "from shop.pricing import tariff\nfrom shop.text import render\n\n\ndef report(routes):\n    rows = [(render.title(name), tariff.price(r)) for name, r in routes]\n    return render.table(rows)\n",
    "tests/test_routes.py": "from shop.routes.planner import Route\n\n\ndef test_metres():\n    assert Route([(1, 'km'), (50, 'cm')]).metres() == 1000.5\n",
    "tests/test_pricing.py": "from shop.pricing.tariff import price\nfrom shop.routes.planner import Route\n\n\ndef test_short():\n    assert price(Route([(4, 'km')])) == 3\n\n\ndef test_long():\n    assert price(Route([(10, 'km')])) == 13\n",
    "tests/test_report.py": "from shop.report.report import report\nfrom shop.routes.planner import Route\n\n\ndef test_report():\n    assert report([('home', Route([(1, 'km')]))]) == 'Home | 3'\n",
  },
  harmless: [
    ["shop/units/length.py", (s) => s + "\n\ndef to_feet(value):\n    return value * 3.28\n"],
    ["shop/text/render.py", (s) => s + "\n\ndef lower(s):\n    return s.lower()\n"],
    ["shop/routes/planner.py", (s) => s + "\n    def count(self):\n        return len(self.legs)\n"],
    ["tests/test_pricing.py", (s) => s + "\n\ndef test_none():\n    assert price(Route([])) == 3\n"],
    ["shop/pricing/tariff.py", (s) => s + "\n\ndef name():\n    return 'tariff'\n"],
    ["docs/guide.md", () => "# Guide\n\nRoutes have legs.\n"],
  ],
  regressions: [
    ["shop/units/length.py", "value * FACTORS[unit]", "int(value * FACTORS[unit])"],
    ["shop/units/length.py", "'km': 1000", "'km': 1024"],
    ["shop/routes/planner.py", "self.metres() < 5000", "self.metres() < 500"],
    ["shop/text/render.py", "' | '.join", "' ; '.join"],
    ["shop/text/render.py", "s[:1].upper() + s[1:]", "s.upper()"],
    ["shop/pricing/tariff.py", "BASE = 3", "BASE = 4"],
  ],
};

const node = {
  command: ["node", "--test", "--test-reporter=tap"],
  files: {
    "package.json": '{ "name": "shop", "type": "module" }\n',
    "clock/clock.js": "export function minutes(text) {\n  const [h, m] = text.split(':').map(Number)\n  return h * 60 + m\n}\n\nexport function format(n) {\n  return String(Math.floor(n / 60)).padStart(2, '0') + ':' + String(n % 60).padStart(2, '0')\n}\n",
    "rooms/rooms.js": "export const rooms = [{ name: 'blue', seats: 4 }, { name: 'red', seats: 10 }]\n\nexport function fitting(people) {\n  return rooms.filter((r) => r.seats >= people)\n}\n",
    "booking/booking.js": "import { minutes } from '../clock/clock.js'\nimport { fitting } from '../rooms/rooms.js'\n\nexport function overlaps(a, b) {\n  return minutes(a.from) < minutes(b.to) && minutes(b.from) < minutes(a.to)\n}\n\nexport function book(taken, wish) {\n  const free = fitting(wish.people).filter((r) => !taken.some((t) => t.room === r.name && overlaps(t, wish)))\n  return free[0]?.name\n}\n",
    "calendar/calendar.js": "import { book } from '../booking/booking.js'\nimport { format, minutes } from '../clock/clock.js'\n\nexport function entry(taken, wish) {\n  const room = book(taken, wish)\n  return room ? `${format(minutes(wish.from))} ${room}` : 'no room'\n}\n",
    "mail/mail.js": "export function subject(text) {\n  return text.slice(0, 40)\n}\n",
    "booking/booking.test.js": "import test from 'node:test'\nimport assert from 'node:assert'\nimport { book, overlaps } from './booking.js'\n\ntest('meetings overlap', () => {\n  assert.equal(overlaps({ from: '9:30', to: '10:30' }, { from: '10:00', to: '11:00' }), true)\n})\n\ntest('a room that fits is booked', () => {\n  assert.equal(book([], { from: '9:00', to: '10:00', people: 5 }), 'red')\n})\n\ntest('four people fit into blue', () => {\n  assert.equal(book([], { from: '9:00', to: '10:00', people: 4 }), 'blue')\n})\n",
    "calendar/calendar.test.js": "import test from 'node:test'\nimport assert from 'node:assert'\nimport { entry } from './calendar.js'\n\ntest('an entry has the time and the room', () => {\n  assert.equal(entry([], { from: '9:05', to: '10:00', people: 3 }), '09:05 blue')\n})\n",
  },
  harmless: [
    ["clock/clock.js", (s) => s + "\nexport function seconds(n) {\n  return n * 60\n}\n"],
    ["rooms/rooms.js", (s) => s + "\nexport function names() {\n  return rooms.map((r) => r.name)\n}\n"],
    ["mail/mail.js", (s) => s.replace("40", "60")],
    ["booking/booking.test.js", (s) => s + "\ntest('nothing is free for a hundred', () => {\n  assert.equal(book([], { from: '9:00', to: '10:00', people: 100 }), undefined)\n})\n"],
    ["booking/booking.js", (s) => s + "\nexport function length(b) {\n  return minutes(b.to) - minutes(b.from)\n}\n"],
    ["README.md", () => "# Rooms\n"],
  ],
  regressions: [
    ["clock/clock.js", "h * 60 + m", "h * 100 + m * 0"],
    ["clock/clock.js", "padStart(2, '0') + ':'", "padStart(2, ' ') + ':'"],
    ["rooms/rooms.js", "r.seats >= people", "r.seats > people"],
    ["rooms/rooms.js", "name: 'red', seats: 10", "name: 'green', seats: 10"],
    ["rooms/rooms.js", "{ name: 'blue', seats: 4 }, { name: 'red', seats: 10 }", "{ name: 'red', seats: 10 }, { name: 'blue', seats: 4 }"],
    ["booking/booking.js", "return free[0]?.name", "return free.at(-1)?.name"],
  ],
};

let first = 0, three = 0, n = 0;
for (const [language, kit] of Object.entries({ go, python, node })) {
  kit.regressions.forEach((regression, i) => {
    const { rank, why } = measure(join(top, `${language}${i}`), kit, regression, (i * 5 + language.length) % 7);
    n++;
    first += rank === 0 ? 1 : 0;
    three += rank >= 0 ? 1 : 0;
    console.log(`${language} ${i}: ${rank < 0 ? "not named" : `place ${rank + 1}`}  ${regression[0]}: ${why}`);
  });
}
console.log(`${n} regressions: the guilty commit is first in ${first}, among three in ${three}`);

// measure makes a repository in which commit number at is guilty. It returns its place in the suspects, or -1.
function measure(dir, kit, [file, old, text], at) {
  rmSync(dir, { recursive: true, force: true });
  const env = { ...process.env, GOFLAGS: "-buildvcs=false", PYTHONDONTWRITEBYTECODE: "1", BLQ_SERVER: "",
    GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@example.org", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@example.org" };
  const git = (...args) => execFileSync("git", args, { cwd: dir, env, encoding: "utf8" }).trim();
  const write = (name, content) => {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), content);
  };
  const commit = (message) => (git("add", "-A"), git("commit", "-qm", message), git("rev-parse", "HEAD"));
  const change = (name, edit) => {
    let before = "";
    try { before = readFileSync(join(dir, name), "utf8"); } catch { /* it is new */ }
    const after = edit(before);
    if (after === before) throw new Error(`nothing changes in ${name}`);
    write(name, after);
  };
  const test = () => spawnSync(blq, ["run", "--name", "test", "--", ...kit.command], { cwd: dir, env, encoding: "utf8" });
  mkdirSync(dir, { recursive: true });
  git("init", "-q", "-b", "main");
  write(".gitignore", ".lq/\n");
  for (const [name, content] of Object.entries(kit.files)) write(name, content);
  commit("begin");
  const green = test();
  if (green.status !== 0) throw new Error(`${dir}: tests fail before: ${green.stdout}${green.stderr}`);
  let guilty = "";
  for (let i = 0, h = 0; i < 7; i++) {
    if (i === at) {
      change(file, (s) => s.replace(old, text));
      guilty = commit(`commit ${i}`);
      continue;
    }
    change(...kit.harmless[h++]);
    commit(`commit ${i}`);
  }
  if (test().status === 0) throw new Error(`${dir}: tests pass with ${text}`);
  const answer = JSON.parse(execFileSync(blq, ["triage", "--json"], { cwd: dir, env, encoding: "utf8" }));
  const suspects = answer.suspects ?? [];
  const rank = suspects.findIndex((s) => s.commit === guilty);
  return { rank, why: suspects.map((s) => `${s.score} ${s.commit === guilty ? "GUILTY" : "other"}: ${s.why}`).join(" | ") };
}
