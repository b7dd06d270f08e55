#!/usr/bin/env python3
"""Seeds violations of rules in real projects of five languages and checks that blq finds them.

evalfindings.py BLQ DIR keeps the projects in DIR. It needs git, Go, npm, and apt-get, and installs nothing. In
each project the folders are nodes. Twenty rules forbid imports between them: ten that there are, and ten that there are
not. On a branch, ten commits each add an import that breaks a rule, and another one moves the imports that broke rules
before. Then blq lint --record has to find the ten in their files and lines, and call them new and nothing else.

The other six types of rules follow, each with violations from before the branch and one on it: an import for
forbid_import, forbid, layers and forbid_cycles, and for require and check an edge that is gone and a file that is added.
"""
import glob, json, os, posixpath, re, shutil, subprocess, sys

blq, top = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
os.makedirs(top, exist_ok=True)


def run(cwd, *args, ok=(0,)):
    done = subprocess.run(args, cwd=cwd, capture_output=True, text=True)
    if done.returncode not in ok:
        sys.exit(f"{args}: {done.stdout}{done.stderr}")
    return done.stdout


def go(dir):
    run(top, "sh", "-c", f"mkdir -p {dir}.m && cd {dir}.m && {{ [ -f go.mod ] || go mod init m; }} && "
        "go mod download github.com/go-git/go-git/v5@v5.12.0")
    cache = run(top, "go", "env", "GOMODCACHE").strip()
    shutil.copytree(cache + "/github.com/go-git/go-git/v5@v5.12.0", dir)
    run(top, "chmod", "-R", "u+w", dir)


def npm(dir):
    run(top, "sh", "-c", "npm pack --silent rxjs@7.8.1 && mkdir -p rx && tar xzf rxjs-7.8.1.tgz -C rx")
    shutil.copytree(top + "/rx/package/src", dir)


def python(dir):
    run(top, "sh", "-c", "apt-get download -qq python3-django && dpkg-deb -x python3-django_*.deb deb")
    shutil.copytree(top + "/deb/usr/lib/python3/dist-packages/django", dir + "/django", symlinks=True)


def rust(dir):
    run(top, "sh", "-c", "apt-get download -qq librust-tokio-dev && dpkg-deb -x librust-tokio-dev_*.deb deb")
    shutil.copytree(glob.glob(top + "/deb/usr/share/cargo/registry/tokio-*")[0], dir)


def php(dir):
    run(top, "sh", "-c", "apt-get download -qq php-symfony-http-kernel && dpkg-deb -x php-symfony-http-kernel_*.deb deb")
    shutil.copytree(top + "/deb/usr/share/php/Symfony/Component/HttpKernel", dir + "/HttpKernel", symlinks=True)


# For each language, an import statement on a line of its own.
projects = {
    "go-git (Go)": (go, r'^\t"[^"]+"$'),
    "rxjs (TypeScript)": (npm, r"^import [^;]* from '(\.[^']+)';$"),
    "django (Python)": (python, r"^from [\w.]+ import [\w, ]+$"),
    "tokio (Rust)": (rust, r"^use crate::[\w:]+;$"),
    "symfony (PHP)": (php, r"^use Symfony\\Component\\HttpKernel\\[\w\\]+;$"),
}


def lines(dir, file):
    with open(os.path.join(dir, file), encoding="utf-8") as f:
        return f.read().split("\n")


def write(dir, file, content):
    with open(os.path.join(dir, file), "w", encoding="utf-8") as f:
        f.write("\n".join(content))


def commit(dir, message):
    run(dir, "git", "add", "-A")
    run(dir, "git", "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-m", message)


def rules(dir, list):
    os.makedirs(dir + "/.beadloom/_graph", exist_ok=True)
    write(dir, ".beadloom/_graph/rules.yml", ["version: 3", "rules:"] + [
        "  - " + json.dumps({"name": f"r{i}", "deny": {"from": a, "to": b}}) for i, (a, b) in enumerate(list)])


def lint(dir):
    return json.loads(run(dir, blq, "lint", "--json", ok=(0, 1)))["violations"]


def moved(line, pattern, source, target):
    """Returns the import of a file in the form that another file writes."""
    path = re.match(pattern, line)
    if not path.groups():
        return line
    to = posixpath.relpath(posixpath.join(posixpath.dirname(source), path[1]), posixpath.dirname(target))
    return line.replace(path[1], to if to.startswith(".") else "./" + to)


def seeds(dir, pattern, found):
    """Returns ten imports that do not exist: from node, to node, file, line, text."""
    have = {(v["from_ref_id"], v["to_ref_id"]) for v in found}
    hosts, list = {}, []
    for v in found:  # the files, and the line of the first import in each
        at = next((i for i, l in enumerate(lines(dir, v["file_path"])) if re.match(pattern, l)), None)
        if at is not None:
            hosts[v["file_path"]] = (v["from_ref_id"], at)
    for v in found:
        text = lines(dir, v["file_path"])[v["line_number"] - 1]
        if not re.match(pattern, text):
            continue
        for file, (node, at) in hosts.items():
            pair = (node, v["to_ref_id"])
            if pair not in have and node != v["to_ref_id"]:
                have.add(pair)
                del hosts[file]
                list.append((*pair, file, at, moved(text, pattern, v["file_path"], file)))
                break
    return list[:10]


def begin(fetch):
    """Returns a copy of a project in a new repository."""
    dir = os.path.join(top, fetch.__name__)
    if not os.path.exists(dir):
        fetch(dir)
    shutil.rmtree(dir + ".work", ignore_errors=True)
    dir = shutil.copytree(dir, dir + ".work", symlinks=True)
    run(dir, "git", "init", "-q", "-b", "main")
    write(dir, ".gitignore", [".lq"])
    return dir




def trial(name, fetch, pattern):
    dir = begin(fetch)
    kinds = [{"kind": k} for k in ("domain", "feature", "service")]
    rules(dir, [(a, b) for a in kinds for b in kinds])
    found = lint(dir)
    new = seeds(dir, pattern, found)
    pairs, before = [], set()
    for v in found:
        pair = (v["from_ref_id"], v["to_ref_id"])
        if pair not in pairs and len(pairs) < 10:
            pairs.append(pair)
    rules(dir, [({"ref_id": a}, {"ref_id": b}) for a, b in pairs + [s[:2] for s in new]])
    commit(dir, "begin")
    old = lint(dir)
    run(dir, "git", "checkout", "-q", "-b", "work")
    for n, (_, _, file, at, text) in enumerate(new):
        content = lines(dir, file)
        write(dir, file, content[:at] + [text] + content[at:])
        commit(dir, f"seed {n}")
    where = {(file, at + 1) for _, _, file, at, _ in new}
    for file in {v["file_path"] for v in old} - {s[2] for s in new}:  # old lines move down
        write(dir, file, ["", ""] + lines(dir, file))
    commit(dir, "move")
    run(dir, blq, "lint", "--record", ok=(1,))
    all = {(v["file_path"], v["line_number"]) for v in lint(dir)}
    diff = json.loads(run(dir, blq, "diff", "arch-lint", "--json", ok=(0, 1)))
    events = json.loads(run(dir, blq, "errors", "arch-lint", "--limit", "100000", "--json"))["errors"]
    new_refs = {e["ref"] for e in diff["new"]}
    said = {(e["ref_file"], e["ref_line"]) for e in events if e["ref"] in new_refs}
    print(f"{name}: {len(new)} seeded, {len(where & all)} found in file and line, {len(where & said)} of them new; "
          f"{len(old)} old, {len(said - where)} of them called new", flush=True)


def spelled(line, pattern):
    """Returns the imported name in a statement, as a pattern of a rule."""
    path = re.match(pattern, line)
    if path.groups():
        return "*" + path[1].lstrip("./") + "*"
    return re.sub(r'^\s*(from |use )?"?([^\s";]+).*$', r"\2", line)


def new_rules(dir):
    """Records the findings, and returns the new ones by rule: files and lines."""
    run(dir, blq, "lint", "--record", ok=(0, 1))
    new = {}
    for v in json.loads(run(dir, blq, "lint", "--json", ok=(0, 1)))["violations"]:
        if v.get("status") == "new":
            new.setdefault(v["rule"], set()).add((v.get("file_path"), v.get("line_number")))
    return new


def imports(name, fetch, pattern):
    """Seeds an import that violates rules of four types."""
    dir = begin(fetch)
    kinds = [{"kind": k} for k in ("domain", "feature", "service")]
    rules(dir, [(a, b) for a in kinds for b in kinds])
    found = lint(dir)
    have = {(v["from_ref_id"], v["to_ref_id"]) for v in found}
    seeded = seeds(dir, pattern, found)
    # An import that closes a cycle of two nodes, where there is one.
    a, b, file, at, text = next((s for s in seeded if (s[1], s[0]) in have), seeded[0])
    cyclic = (b, a) in have
    was_a, was_b = next(p for p in sorted(have) if a not in p and b not in p)
    def pair(x, y):
        return {"from": {"ref_id": x}, "to": {"ref_id": y}, "edge_kind": "depends_on"}
    list = [
        {"name": "forbid_import", "forbid_import": {"from": file, "to": spelled(text, pattern)}},
        {"name": "forbid", "forbid": pair(a, b)},
        {"name": "layers", "layers": [{"name": "top", "tag": "top"}, {"name": "low", "tag": "low"}],
         "enforce": "top-down", "edge_kind": "depends_on"},
        {"name": "forbid_cycles", "forbid_cycles": {"edge_kind": "depends_on"}},
        {"name": "old_forbid", "forbid": pair(was_a, was_b)},
        {"name": "old_import", "forbid_import": {"from": "*", "to": "*" + text.strip()[-8:-2] + "*"}},
    ]
    write(dir, ".beadloom/_graph/rules.yml", [
        "version: 3", "tags: " + json.dumps({"top": [b, was_b], "low": [a, was_a]}), "rules:"]
        + ["  - " + json.dumps(r) for r in list])
    commit(dir, "begin")
    old = lint(dir)
    run(dir, "git", "checkout", "-q", "-b", "work")
    content = lines(dir, file)
    write(dir, file, content[:at] + [text] + content[at:])
    for f in {v["file_path"] for v in old} - {file}:  # old lines move down
        write(dir, f, ["", ""] + lines(dir, f))
    commit(dir, "seed")
    new = new_rules(dir)
    want = {"forbid_import", "forbid", "layers"} | ({"forbid_cycles"} if cyclic else set())
    right = [r for r in sorted(want) if (file, at + 1) in new.get(r, ())]
    others = {r: v - {(file, at + 1)} for r, v in new.items() if v - {(file, at + 1)}}
    print(f"{name}: {len(right)} of {len(want)} types of rules in file and line{'' if cyclic else ' (no cycle possible)'}; "
          f"{len(old)} old; others called new: {others or 0}", flush=True)


def declared(name, fetch, pattern):
    """Takes away an edge and adds a file, in a project with declared nodes."""
    dir = begin(fetch)
    run(dir, blq, "graph", "init")
    graph = lines(dir, ".beadloom/_graph/graph.yml")
    at = next(i for i, l in enumerate(graph) if "kind: part_of" in l)
    a, b = (re.sub(r'^.*?: "?([^"]*)"?$', r"\1", graph[at - n]) for n in (2, 1))
    node = next(i for i, l in enumerate(graph) if re.match(rf'\s*- ref_id: "?{re.escape(a)}"?$', l))
    folder = re.sub(r'^.*?: "?([^"]*)"?$', r"\1", next(l for l in graph[node:] if "source:" in l))
    file = next(f for f in sorted(os.listdir(os.path.join(dir, folder))) if re.search(r"\.(go|ts|py|rs|php)$", f))
    def count(max):
        write(dir, ".beadloom/_graph/rules.yml", ["version: 3", "rules:"] + ["  - " + json.dumps(r) for r in [
            {"name": "require", "require": {"for": {"ref_id": a}, "has_edge_to": {"ref_id": b}, "edge_kind": "part_of"}},
            {"name": "check", "check": {"for": {"ref_id": a}, "max_files": max}},
            {"name": "old", "require": {"for": {"kind": "service"}, "has_edge_to": {"kind": "entity"}}}]])
        return lint(dir)
    max = next(n for n in range(10000) if not any(v["rule"] == "check" for v in count(n)))
    commit(dir, "begin")
    old = lint(dir)
    run(dir, "git", "checkout", "-q", "-b", "work")
    shutil.copy(os.path.join(dir, folder, file), os.path.join(dir, folder, "more_" + file))
    write(dir, ".beadloom/_graph/graph.yml", ["# moved", *graph[:at - 2], *graph[at + 1:]])
    commit(dir, "seed")
    new, want = new_rules(dir), {(".beadloom/_graph/graph.yml", node + 2)}
    right = [r for r in ("require", "check") if new.get(r) == want]
    print(f"{name}: {len(right)} of 2 types of rules about nodes in file and line; {len(old)} old; "
          f"others called new: {[r for r in new if r not in ('require', 'check')] or 0}", flush=True)


for name, (fetch, pattern) in projects.items():
    if len(sys.argv) < 4 or fetch.__name__ in sys.argv[3:]:
        for kind in trial, imports, declared:
            kind(name, fetch, pattern)
