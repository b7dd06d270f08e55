package glob_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/internal/glob"
)

func TestTheNameOfAFolderIsNoPattern(t *testing.T) {
	t.Parallel()
	top := filepath.Join(t.TempDir(), "app", "[slug]")
	for _, name := range []string{"a.xml", "b.xml", "c.txt", "sub/d.xml", "../slug/e.xml"} {
		file := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	at := func(names ...string) (files []string) {
		for _, name := range names {
			files = append(files, filepath.Join(top, name))
		}
		return files
	}
	for _, c := range []struct {
		got, want []string
	}{
		{glob.In(top, "*.xml"), at("a.xml", "b.xml")},
		{glob.In(top, "*/*.xml"), at("sub/d.xml")},
		{glob.In(top, "[.xml"), nil},
		{glob.In(filepath.Join(top, "none"), "*"), nil},
		{glob.Relative(top, "[ab].xml"), at("a.xml", "b.xml")},
		{glob.Relative(top, "c.txt"), at("c.txt")},
		{glob.Relative(top, "sub/*"), at("sub/d.xml")},
		{glob.Relative(top, "./sub/*"), at("sub/d.xml")},
		{glob.Relative(top, "../slug/*.xml"), at("../slug/e.xml")},
		{glob.Relative("elsewhere", filepath.Join(filepath.Dir(top), "slug", "*.xml")), at("../slug/e.xml")},
		{glob.In("", "glob_t*.go"), []string{"glob_test.go"}},
		{glob.Relative("", "glob_t*.go"), []string{"glob_test.go"}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
