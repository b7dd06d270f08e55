#!/usr/bin/env python3
"""Seeds violations of rules in real projects of five languages and checks that blq finds them.

evalfindings.py BLQ DIR keeps the projects in DIR. It needs git, Go, npm, and apt-get, and installs nothing. In
each project the folders are nodes. Twenty rules forbid imports between them: ten that there are, and ten that there are
not. On a branch, ten commits each add an import that breaks a rule, and another one moves the imports that broke rules
before. Then blq lint --record has to find the ten in their files and lines, and call them new and nothing else.
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


def trial(name, fetch, pattern):
    dir = os.path.join(top, fetch.__name__)
    if not os.path.exists(dir):
        fetch(dir)
    shutil.rmtree(dir + ".work", ignore_errors=True)
    dir = shutil.copytree(dir, dir + ".work", symlinks=True)
    run(dir, "git", "init", "-q", "-b", "main")
    write(dir, ".gitignore", [".lq"])
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


for name, (fetch, pattern) in projects.items():
    if len(sys.argv) < 4 or fetch.__name__ in sys.argv[3:]:
        trial(name, fetch, pattern)
