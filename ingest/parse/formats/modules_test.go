package formats

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// modules is a work tree in which two modules, a and b, have the same files.
type modules struct{ files []string }

func (m modules) Has(file string) bool {
	dir, rest, _ := strings.Cut(file, "/")
	return (dir == "a" || dir == "b") && slices.Contains(m.files, rest)
}

func (m modules) Ending(parts, dir string) (list []string) {
	for _, module := range []string{"a", "b"} {
		for _, file := range m.files {
			if name := path.Join(module, file); strings.HasSuffix("/"+name, "/"+parts) && strings.HasPrefix(name, dir) {
				list = append(list, name)
			}
		}
	}
	return list
}

func (modules) Modules() []parse.GoModule                 { return nil }
func (modules) Package(_, name string) (string, bool)     { return name, name == "a" || name == "b" }
func (modules) CargoRoot(string) (dir string, found bool) { return "", true }

// Modules may have tests with the same name. A failure in one of them is another failure than that in the other.
func TestTestsOfTwoModulesDiffer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, log, want string }{
		"Gradle": {"src/test/java/x/ATest.java", "> Task :b:test FAILED\n\nATest > works() FAILED\n" +
			"    org.opentest4j.AssertionFailedError at ATest.java:12\n\n1 test completed, 1 failed\n",
			"b/src/test/java/x/ATest.java"},
		"another project of Gradle": {"src/test/java/x/ATest.java", "> Task :a:test\n> Task :b:compileJava\n" +
			"> Task :a:test FAILED\n\nATest > works() FAILED\n" +
			"    org.opentest4j.AssertionFailedError at ATest.java:12\n", "a/src/test/java/x/ATest.java"},
		"cargo test": {"src/lib.rs", "     Running unittests src/lib.rs (target/debug/deps/b-0123456789abcdef)\n\n" +
			"running 1 test\ntest tests::works ... FAILED\n\nfailures:\n\n" +
			"---- tests::works stdout ----\nError: \"bad\"\n\n\n" +
			"failures:\n    tests::works\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n", "b/src/lib.rs"},
		"cargo test with a place": {"src/lib.rs",
			"     Running unittests src/lib.rs (target/debug/deps/b-0123456789abcdef)\n\nrunning 1 test\n" +
				"test tests::works ... FAILED\n\nfailures:\n\n---- tests::works stdout ----\n\n" +
				"thread 'tests::works' panicked at b/src/part.rs:12:9:\nbad\n\n\nfailures:\n    tests::works\n",
			"b/src/part.rs"},
		"nextest": {"tests/api.rs", "        FAIL [   0.005s] b::api works\n", "b/tests/api.rs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := all
			files := []string{c.file, "build.gradle", "src/part.rs"}
			opts.Root, opts.Dir, opts.Tree = "/p", "/p", modules{files}
			one := 1
			var got []string
			for _, e := range parse.Bytes([]byte(c.log), &one, opts) {
				if e.Category == store.CategoryTest {
					got = append(got, e.File)
				}
			}
			if !slices.Equal(got, []string{c.want}) {
				t.Errorf("%q, want %s", got, c.want)
			}
		})
	}
}
