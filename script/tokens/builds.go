package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// build is a failing project: its files, and the command that builds it.
type build struct {
	name, command string
	needs         string // a required program; the project is left out without it
	files         map[string]string
}

// projects returns small and large builds with one mistake each.
func projects() []build {
	return []build{
		{"gcc, two files", "make", "gcc", cProject(2, 0)},
		{"gcc -Wall, 300 files", "make -k", "gcc", cProject(300, 8)},
		{"unittest, 5 tests", "python3 -m unittest -v", "python3", map[string]string{"test_all.py": pythonTests(5)}},
		{"unittest -v, 9,000 tests", "python3 -m unittest -v", "python3",
			map[string]string{"test_all.py": pythonTests(9000)}},
		{"go test -v, 9,000 subtests", "go test -v ./...",
			"go", map[string]string{"go.mod": "module example.com/sum\n\ngo 1.22\n", "sum_test.go": goTest}},
	}
}

// cProject returns the files of a C program: n files with several warnings each. The file in the middle calls an
// undeclared function.
func cProject(n, warnings int) map[string]string {
	files := map[string]string{}
	var objects strings.Builder
	for i := range n {
		var text strings.Builder
		fmt.Fprintf(&text, "int f%d(int a)\n{\n", i)
		for w := range warnings {
			fmt.Fprintf(&text, "\tint unused_%d = a * %d;\n", w, w)
		}
		if i == n/2 {
			text.WriteString("\ta = totl(a);\n")
		}
		text.WriteString("\treturn a + 1;\n}\n")
		name := fmt.Sprintf("f%d", i)
		files[name+".c"] = text.String()
		objects.WriteString(" " + name + ".o")
	}
	files["Makefile"] = "CFLAGS = -Wall -Werror=implicit-function-declaration\nall:" + objects.String() + "\n"
	return files
}

// pythonTests returns a file with n tests. One of them fails.
func pythonTests(n int) string {
	var text strings.Builder
	text.WriteString("import unittest\n\n\nclass Prices(unittest.TestCase):\n")
	for i := range n {
		want := i * 2
		if i == n/2 {
			want++
		}
		fmt.Fprintf(&text, "    def test_price_of_item_%d(self):\n        self.assertEqual(%d * 2, %d)\n\n", i, i, want)
	}
	return text.String()
}

const goTest = `package sum

import (
	"fmt"
	"testing"
)

func TestSum(t *testing.T) {
	for i := range 9000 {
		t.Run(fmt.Sprint("of ", i), func(t *testing.T) {
			if got := i + 1; got == 4500 {
				t.Errorf("sum is %d, want another", got)
			}
		})
	}
}
`

// builds writes the projects, and runs them with the run tool of the server.
func builds(blq, dir string) ([]measured, error) {
	var list []measured
	for i, p := range projects() {
		if _, err := exec.LookPath(p.needs); err != nil {
			fmt.Printf("left out, there is no %s: %s\n", p.needs, p.name)
			continue
		}
		at := filepath.Join(dir, fmt.Sprint(i))
		if err := write(at, p.files); err != nil {
			return nil, err
		}
		m, err := buildOne(blq, at, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		list = append(list, m)
	}
	return list, nil
}

func write(dir string, files map[string]string) error {
	if err := os.MkdirAll(filepath.Join(dir, ".lq"), 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func buildOne(blq, dir string, p build) (measured, error) {
	c, err := connect(blq, dir)
	if err != nil {
		return measured{}, err
	}
	defer c.close()
	answer, err := c.call("exec", map[string]any{"command": p.command})
	if err != nil {
		return measured{}, err
	}
	var run struct {
		Ref    string `json:"run_ref"`
		Status string
	}
	if err := json.Unmarshal([]byte(answer), &run); err != nil {
		return measured{}, err
	}
	if run.Status == "RUNNING" {
		follow := exec.Command(blq, "output", run.Ref, "--follow") // it waits until the run ends
		follow.Dir = dir
		if out, err := follow.CombinedOutput(); err != nil {
			return measured{}, fmt.Errorf("%w: %s", err, out)
		}
	}
	m, err := c.about(p.name, run.Ref)
	m.run = len(answer)
	return m, err
}

// about measures the sizes of the answers about a run.
func (c *client) about(name, ref string) (measured, error) {
	m := measured{name: name}
	output, err := c.call("output", map[string]any{"ref": ref, "head": 1})
	if err != nil {
		return m, err
	}
	var log struct {
		Bytes int `json:"byte_length"`
	}
	if err := json.Unmarshal([]byte(output), &log); err != nil {
		return m, err
	}
	triage, err := c.call("triage", map[string]any{"ref": ref})
	if err != nil {
		return m, err
	}
	events, err := c.call("events", map[string]any{"ref": ref, "severity": "error"})
	m.log, m.triage, m.events = log.Bytes, len(triage), len(events)
	return m, err
}

// captured imports logs of failed builds from a folder, and measures the answers about them.
func captured(blq, folder string) ([]measured, error) {
	dir, err := os.MkdirTemp("", "tokens")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	files, err := filepath.Glob(filepath.Join(folder, "*.log"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no *.log in %s: %w", folder, err)
	}
	if err := write(dir, nil); err != nil {
		return nil, err
	}
	slices.Sort(files)
	for i, file := range files {
		file, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		cmd := exec.Command(blq, "import", "--exit-code", "1", "--name", fmt.Sprintf("log%d", i), file)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("import %s: %w: %s", file, err, out)
		}
	}
	c, err := connect(blq, dir)
	if err != nil {
		return nil, err
	}
	defer c.close()
	var list []measured
	for i, file := range files {
		m, err := c.about(strings.TrimSuffix(filepath.Base(file), ".log"), fmt.Sprintf("log%d", i))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list = append(list, m)
	}
	return list, nil
}
