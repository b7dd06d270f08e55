// Command golden captures the output of real tools and writes it into the goldens of ingest/parse/formats. Each golden
// is a txtar file. Its comment names the tool and the command. Its src/ files are the project on which the command
// runs. Its input section is the output of the command, and its exit section is the exit code.
//
//	go run ./script/golden ingest/parse/formats/testdata/gcc/undeclared.txtar
//	go run ./script/golden -all        # every golden; each must name a command
//
// Comment lines:
//
//	version: gcc --version         prints the tool's version; its first line is kept below
//	tool:    gcc (Debian 12.2.0)   written by this program
//	apt:     gcc make              Debian packages that the command needs
//	npm:     typescript@5.9.3      npm packages that the command needs
//	env:     CI=true               a variable, may be repeated
//	before:  git init -q           a command to run first, without its output; may be repeated
//	command: make -k               the command, run by sh in the project; its stdout and stderr are captured together
//	strip:   .*npm notice.*        lines to leave out, as a regular expression; may be repeated
//
// After a capture, run go test ./ingest/parse/formats -run TestGoldens -update and read the diff.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/txtar"
)

func main() {
	all := flag.Bool("all", false, "capture every golden under ingest/parse/formats/testdata")
	install := flag.Bool("install", false, "install the Debian packages that the goldens name first (as root)")
	flag.Parse()
	files := flag.Args()
	if *all {
		files, _ = filepath.Glob("ingest/parse/formats/testdata/*/*.txtar")
	}
	if len(files) == 0 {
		fmt.Fprintln(os.Stderr, "usage: go run ./script/golden [-all] FILE.txtar ...")
		os.Exit(2)
	}
	if *install {
		if err := installPackages(files); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	failed := 0
	for _, f := range files {
		if err := capture(f); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", f, err)
			failed++
		}
	}
	if failed > 0 {
		os.Exit(1)
	}
}

// installPackages installs the packages in the goldens' apt: lines.
func installPackages(files []string) error {
	packages := map[string]bool{}
	for _, f := range files {
		ar, err := txtar.ParseFile(f)
		if err != nil {
			return err
		}
		for _, list := range parseHeader(ar).all("apt") {
			for _, p := range strings.Fields(list) {
				packages[p] = true
			}
		}
	}
	if len(packages) == 0 {
		return nil
	}
	for _, args := range [][]string{{"update", "-qq"},
		append([]string{"install", "-y", "-qq", "--no-install-recommends"}, slices.Sorted(maps.Keys(packages))...)} {
		if out, err := exec.Command("apt-get", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("apt-get %s: %w\n%s", args[0], err, out)
		}
	}
	return nil
}

// header is the comment of a golden.
type header struct {
	lines []string
}

func parseHeader(ar *txtar.Archive) header {
	return header{strings.Split(strings.TrimRight(string(ar.Comment), "\n"), "\n")}
}

func (h header) all(key string) []string {
	var out []string
	for _, l := range h.lines {
		if v, ok := strings.CutPrefix(l, key+":"); ok {
			out = append(out, strings.TrimSpace(v))
		}
	}
	return out
}

func (h header) one(key string) string {
	if v := h.all(key); len(v) > 0 {
		return v[0]
	}
	return ""
}

func capture(file string) error {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		return err
	}
	h := parseHeader(ar)
	command := h.one("command")
	if command == "" {
		return errors.New("no command: line in the comment")
	}
	dir := filepath.Join("/tmp/golden", filepath.Base(filepath.Dir(file))+"-"+
		strings.TrimSuffix(filepath.Base(file), ".txtar"))
	if err := lay(dir, ar); err != nil {
		return err
	}
	env, err := environment(dir, h)
	if err != nil {
		return err
	}
	for _, b := range h.all("before") {
		if out, _, err := run(dir, env, b); err != nil {
			return fmt.Errorf("before %q: %w\n%s", b, err, out)
		}
	}
	out, code, err := run(dir, env, command)
	if err != nil {
		return fmt.Errorf("%q: %w", command, err)
	}
	for _, s := range h.all("strip") {
		out = stripLines(out, regexp.MustCompile("^(?:"+s+")$"))
	}
	if v := h.one("version"); v != "" {
		text, _, err := run(dir, env, v)
		if err != nil {
			return fmt.Errorf("version %q: %w", v, err)
		}
		h.setTool(firstLine(text))
	}
	ar.Comment = []byte(strings.Join(h.lines, "\n") + "\n")
	set(ar, "input", out)
	set(ar, "exit", []byte(fmt.Sprintln(code)))
	return os.WriteFile(file, txtar.Format(ar), 0o644)
}

func (h *header) setTool(version string) {
	for i, l := range h.lines {
		if strings.HasPrefix(l, "tool:") {
			h.lines[i] = "tool: " + version
			return
		}
	}
	h.lines = append([]string{"tool: " + version}, h.lines...)
}

func firstLine(b []byte) string {
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

func lay(dir string, ar *txtar.Archive) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range ar.Files {
		name, ok := strings.CutPrefix(f.Name, "src/")
		if !ok {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.Data, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// environment returns the few variables that tools need, so that goldens do not depend on other variables of the user.
func environment(dir string, h header) ([]string, error) {
	env := []string{"HOME=" + os.Getenv("HOME"), "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TZ=UTC", "TERM=dumb",
		"COLUMNS=80"}
	for _, keep := range []string{"GOFLAGS", "GOPROXY", "GOTOOLCHAIN", "CARGO_HOME", "RUSTUP_HOME"} {
		if v := os.Getenv(keep); v != "" {
			env = append(env, keep+"="+v)
		}
	}
	if npm := h.one("npm"); npm != "" {
		modules, err := npmInstall(npm)
		if err != nil {
			return nil, err
		}
		if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
			return nil, err
		}
		env[1] = "PATH=" + filepath.Join(modules, ".bin") + ":" + os.Getenv("PATH")
	}
	return append(env, h.all("env")...), nil
}

// npmInstall returns a node_modules folder with the packages. It installs each list of packages only once.
func npmInstall(packages string) (string, error) {
	dir := filepath.Join("/tmp/golden-npm", fmt.Sprintf("%x", sha256.Sum256([]byte(packages)))[:12])
	modules := filepath.Join(dir, "node_modules")
	if _, err := os.Stat(filepath.Join(dir, "done")); err == nil {
		return modules, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	cmd := exec.Command(
		"npm", append([]string{"install", "--no-fund", "--no-audit", "--prefix", dir}, strings.Fields(packages)...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm install %s: %w\n%s", packages, err, out)
	}
	return modules, os.WriteFile(filepath.Join(dir, "done"), nil, 0o644)
}

// run returns the output and exit code of a shell command. Most goldens are of failures. So of all exit codes, only 127
// is an error, which means that the command was not found.
func run(dir string, env []string, command string) ([]byte, int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && ctx.Err() == nil {
		if exit.ExitCode() == 127 {
			return out, 127, errors.New("command not found")
		}
		return out, exit.ExitCode(), nil
	}
	return out, 0, err
}

func stripLines(out []byte, re *regexp.Regexp) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(out) {
		if !re.Match(bytes.TrimRight(line, "\r\n")) {
			b.Write(line)
		}
	}
	return b.Bytes()
}

func set(ar *txtar.Archive, name string, data []byte) {
	for i := range ar.Files {
		if ar.Files[i].Name == name {
			ar.Files[i].Data = data
			return
		}
	}
	ar.Files = append(ar.Files, txtar.File{Name: name, Data: data})
}
