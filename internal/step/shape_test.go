package step_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/step"
	"github.com/blq-ci/blq/store"
)

const root = "/home/u/app"

// at is a command line in a directory of the project.
type at struct{ dir, line string }

func (a at) shape() string { return shapeOf(a.line, strings.TrimSuffix(root+"/"+a.dir, "/"), root) }

func TestOneStep(t *testing.T) {
	for _, group := range [][]at{
		{{"", "make"}, {"", "make -j8"}, {"", "make -j 8"}, {"", "make -j$(nproc)"}, {"", `make -j "$(nproc)"`},
			{"", "  make  "}, {"", "make # all"}, {"", "time make"},
			{"", "nice -n 5 make"}, {"", "timeout 10m make -s"}, {"", "# x\nmake\n"}, {"", "make;"}, {"", "stdbuf -oL make"},
			{"", "\n\nmake\r\n"}, {"", "nice timeout 5 make"}},
		{{"", "go test ./..."}, {"", "go test -v ./..."}, {"", "go  test -count=1 -json -p 4 \\\n ./..."},
			{"", "'go' test \"./...\""}},
		{{"", "cd api && go test ./..."}, {"api", "go test ./..."}, {"web", "cd ../api && go test ./..."},
			{"", "cd /home/u/app/api && go test ./..."}},
		{{"", "cd api && make a && make b"}, {"api", "make a && make b"}},
		{{"", "pytest tests"}, {"", "pytest -vv --color=yes --tb short -n auto tests"},
			{"", "pytest tests --junitxml=/tmp/x.xml -q"}},
		{{"", "python -m pytest -q x"}, {"", "python -m pytest x"}},
		{{"", "cargo test --workspace"}, {"", "cargo test --workspace -q --jobs 2"}},
		{{"", "bash -e /home/u/app/run.sh"}, {"", "bash -e ./run.sh"}},
		{{"", "x 202401311530 12345678901"}, {"", "x 202412010001 98765432109"}},
		{{"", "sh /tmp/tmp.AbCdEf12/x.sh"}, {"", "sh /tmp/tmp.Zz9911aaa/x.sh"}},
		{{"", "run --id 0190d2a0-1111-7222-8333-444455556666"}, {"", "run --id 0190d2a0-9999-7222-8333-444455556666"}},
		{{"", "docker build -t a:" + strings.Repeat("a1", 20) + " ."},
			{"", "docker build -t a:" + strings.Repeat("b2", 20) + " --progress plain ."}},
		{{"", "import a.log"}, {"", "import b.log"}, {"x", "capture"}},
		{{"", "set -ex; make"}, {"", "set -ex; make -j2"}},
		{{"", "f() { make -j4; }\nf"}, {"", "f() { make -j8; }\nf"}},
		{{"", "uv run pytest -v tests"}, {"", "uv run pytest -q tests"}},
		{{"", "npx jest --verbose a"}, {"", "npx jest --silent a"}},
		{{"", "bundle exec rspec -f d a"}, {"", "bundle exec rspec a"}},
		{{"", "bash -c 'make -j8 # all'"}, {"", "bash -c make"}},
		{{"", "su app -c 'make -j8'"}, {"", `su app -c "make -j4"`}},
		{{"", "script -qec 'cd a && make -j8' /dev/null"}, {"", "script -qec 'cd a && make' /dev/null"}},
		{{"", "systemd-run --scope make -j8"}, {"", "systemd-run --scope make"}},
		{{"", "docker compose exec api pytest -v"}, {"", "docker compose exec api pytest"}},
	} {
		for _, a := range group[1:] {
			if a.shape() != group[0].shape() {
				t.Errorf("%q in %q and %q in %q are two steps", group[0].line, group[0].dir, a.line, a.dir)
			}
		}
	}
}

func TestDifferentSteps(t *testing.T) {
	lines := []at{
		{"", "make"}, {"api", "make"}, {"web", "make"}, {"", "make lint"}, {"", "make test"}, {"", "make -k test"},
		{"", "make || true"}, {"", "make | tee log"}, {"", "! make"}, {"", "make &"},
		{"", "make CC=clang"}, {"", "CC=clang make"}, {"", "sudo make"}, {"", "sudo -u a make"}, {"", "sudo -u b make"},
		{"", "make -C api"}, {"", "make -C web"}, {"", "make > log"}, {"", "make; true"},
		{"", "go test ./a"}, {"", "go test ./b"}, {"", "go test -race ./a"}, {"", "go test -run X ./a"},
		{"", "go test -run Y ./a"}, {"", "go vet ./a"}, {"", "go vet -json ./a"}, {"", "go test -count=2 ./a"},
		{"", "go test -args -v ./a"}, {"", "go test -args ./a"},
		{"", "pytest tests/a"}, {"", "pytest tests/b"}, {"", "pytest -k x tests/a"}, {"", "pytest -x tests/a"},
		{"", "python -m pytest tests/a"}, {"", "python -m mypy tests/a"}, {"", "python3.11 -m pytest tests/a"},
		{"", "npx tsc"}, {"", "npx vitest"}, {"", "npx vitest -w a"}, {"", "npm test"}, {"", "npm run lint"},
		{"", "npm run lint -- -s"}, {"", "yarn x -s"}, {"", "yarn x"},
		{"", "npm --prefix web test"}, {"", "npm --prefix api test"}, {"", "npm test -- a"}, {"", "npm test -- b"},
		{"", "bash -c 'go vet'"}, {"", "bash -c 'go test'"}, {"", "sh -ec 'go test'"}, {"", "xargs -n1 a"},
		{"", "xargs -n1 b"}, {"", "docker run x --progress a"}, {"", "docker run x --progress b"},
		{"", "if a; then b; fi"}, {"", "if a; then c; fi"}, {"", "if b; then a; fi"}, {"", "for x in 1 2; do t $x; done"},
		{"", "for x in 1 3; do t $x; done"}, {"", "while a; do b; done"}, {"", "until a; do b; done"},
		{"", "f() { a; }; f"}, {"", "f() { b; }; f"}, {"", "a <<E\n1\nE"}, {"", "a <<E\n2\nE"}, {"", "a < x"}, {"", "a < y"},
		{"", "a $(b)"}, {"", "a $(c)"}, {"", "a && b"}, {"", "a; b"}, {"", "a\nb\nc"}, {"", "(a; b)"}, {"", "a & b"},
		{"", "a 'x y'"}, {"", "a x y"}, {"", "a *.go"}, {"", "a '*.go'"}, {"", "a $X"}, {"", "a '$X'"}, {"", `a "$X"`},
		{"", "case $x in a) b;; esac"}, {"", "case $x in c) b;; esac"},
		{"", "cd api; make"}, {"", "cd $X && make"}, {"", "cd $Y && make"}, {"", "[ a = b ]"}, {"", "[[ a = b ]]"},
		{"", "[[ a = c ]]"}, {"", "export A=1; x"}, {"", "export A=2; x"}, {"", "let a=1"}, {"", "((a=1))"},
		{"", `.\a.bat`}, {"", `.\b.bat`}, {"", "Write-Host (a"}, {"", "Write-Host (b"}, {"", "ctest -j -R a"},
		{"", "ctest -j -E a"}, {"", "su a -c 'make x'"}, {"", "su b -c 'make x'"}, {"", "su a -c 'make y'"},
		{"", "sh -c 'cd a && make'"}, {"", "sh -c 'cd b && make'"}, {"", "sh -c 'cd a; make'"}, {"a", "sh -c make"},
		{"", "npx -p a jest"}, {"", "npx -p b jest"}, {"", "docker exec a make"}, {"", "docker exec b make"},
		{"", "op run -- make"}, {"", "op run --env-file=a -- make"}, {"", "chroot /a make"}, {"", "chroot /b make"},
		{"", "nix develop .#a -c make"}, {"", "nix develop .#b -c make"}, {"", "hatch run +py=3.11 x"},
		{"", "hatch run +py=3.12 x"}, {"", "tox -e a"}, {"", "tox -e b"}, {"", "parallel make ::: a"},
		{"", "parallel make ::: b"}, {"", "aws-vault exec a -- make"}, {"", "aws-vault exec b -- make"},
		{"", "eslint -f json a"}, {"", "eslint a b"}, {"", "env -S 'go test ./a ./b ./c'"},
		{"", "env -S 'go vet ./a ./b ./c'"}, {"", "env -S 'make -j8' a"}, {"", "env -S 'ninja -j8' a"},
		{"", "ACCOUNT=123456789012 make x"}, {"", "ACCOUNT=210987654321 make x"},
		{"", "env -iS 'A=b go vet ./a ./b' ./c"}, {"", "sudo env -S 'make -j8 -k -s a b'"},
	}
	seen := map[string]at{}
	for _, a := range lines {
		if other, found := seen[a.shape()]; found {
			t.Errorf("%q in %q and %q in %q are one step", other.line, other.dir, a.line, a.dir)
		}
		seen[a.shape()] = a
	}
}

func TestADirectoryOutsideOfGitCounts(t *testing.T) {
	if shapeOf("make", "/a", "") == shapeOf("make", "/b", "") {
		t.Error("/a and /b are one directory")
	}
	if shapeOf("make", `C:\w\app\api`, `C:\w\app`) != shapeOf("make", "/w/api", "/w") {
		t.Error("the directory is not relative to the top of the work tree")
	}
}

// shapeOf returns the shape of a command line in a directory.
func shapeOf(line, cwd, top string) string { return step.Shape(store.Run{Cwd: cwd}, line, top) }

func TestALogWithoutANameIsAStepOfItsOwn(t *testing.T) {
	shape := func(source, attempt string) string {
		r := store.Run{Source: source, Command: "capture", Attempt: attempt}
		step.Fill(&r)
		return r.Shape
	}
	if shape(step.Unnamed, "1") == shape(step.Unnamed, "2") {
		t.Error("two pipes without a name are one step")
	}
	if shape("build", "1") != shape("build", "2") {
		t.Error("two pipes with one name are two steps")
	}
}

func TestARunKeepsItsShape(t *testing.T) {
	r := store.Run{Command: "make", Cwd: "/a", Shape: "given"}
	if step.Fill(&r); r.Shape != "given" {
		t.Errorf("shape %q", r.Shape)
	}
	r.Shape = ""
	if step.Fill(&r); r.Shape != shapeOf("make", "/a", "") {
		t.Errorf("shape %q", r.Shape)
	}
}

// Old runs are compared by their shapes, so shapes must never change.
func TestShapesStay(t *testing.T) {
	if got := shapeOf("cd api && go test ./...", "/w", "/w"); got != "3f944073e314cde2" {
		t.Errorf("shape %q", got)
	}
}

func FuzzAnyLineHasANameAndAShape(f *testing.F) {
	for _, tt := range slices.Concat(names, started) {
		f.Add(tt.line)
		f.Add(tt.line + " a b c d e f g") // more words than the line of env -S has
		f.Add("env -S '" + tt.line + " a b c d e f g'")
	}
	f.Fuzz(func(t *testing.T, line string) {
		l := step.Parse(line)
		if name := l.Name("a/b"); !store.IsSourceName(name) || name == "latest" {
			t.Errorf("%q is named %q", line, name)
		}
		if a, b := shapeOf(line, "/a", ""), shapeOf(line, "/a", ""); a != b || a == "" {
			t.Errorf("%q has the shapes %q, %q", line, a, b)
		}
	})
}

// The parser is recursive, and an overflow of the stack would end the program.
func TestDeeplyNestedLinesAreReadAsText(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"(", "{ ", "$(", "`", "\"$(", "if ", "while ", "f() ", "! ", "[[ ( ", "((-", "${a:-",
		"a[", "<(", "a|",
		"coproc ", "elif a; then ", "case a in b) "} {
		line := strings.Repeat(s, (256<<10)/len(s))
		if got := step.Shape(store.Run{}, line, ""); len(got) != 16 {
			t.Errorf("%q: shape %q", s, got)
		}
		if name := step.Parse(line[:60<<10]).Name(""); len(name) > 1000 {
			t.Errorf("%q: name %.50q", s, name)
		}
	}
	if step.Shape(store.Run{}, strings.Repeat("(", 70_000), "") == step.Shape(
		store.Run{}, strings.Repeat("(", 70_001), "") {
		t.Error("two lines have one shape")
	}
}
