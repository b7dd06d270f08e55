package docs_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/facts/docs"
	"github.com/blq-ci/blq/store"
)

func TestCitations(t *testing.T) {
	lines := func(n ...int) (all []docs.Range) {
		for i := 0; i < len(n); i += 2 {
			all = append(all, docs.Range{From: n[i], To: n[i+1]})
		}
		return all
	}
	for text, want := range map[string]docs.Citation{
		"bun:304-324":                           {Alias: "bun", Ranges: lines(304, 324)},
		"bun:304":                               {Alias: "bun", Ranges: lines(304, 304)},
		"bun:7-7":                               {Alias: "bun", Ranges: lines(7, 7)},
		"bun:100-120,130-150,9":                 {Alias: "bun", Ranges: lines(100, 120, 130, 150, 9, 9)},
		" bun:100-120, 130-150 ":                {Alias: "bun", Ranges: lines(100, 120, 130, 150)},
		"react-native:1-2":                      {Alias: "react-native", Ranges: lines(1, 2)},
		"docs@3f2c1e9/guide/mcp.md:10-20":       {Alias: "docs", Rev: "3f2c1e9", Path: "guide/mcp.md", Ranges: lines(10, 20)},
		"docs/guide/mcp.md:10-20":               {Alias: "docs", Path: "guide/mcp.md", Ranges: lines(10, 20)},
		"docs/a b:c,d@e.md:3":                   {Alias: "docs", Path: "a b:c,d@e.md", Ranges: lines(3, 3)},
		"docs/guide.md:L10-L20":                 {Alias: "docs", Path: "guide.md", Ranges: lines(10, 20)},
		"bun@v1.2.3:1-2":                        {Alias: "bun", Rev: "v1.2.3", Ranges: lines(1, 2)},
		"docs@PR#12/a.md:1":                     {Alias: "docs", Rev: "PR#12", Path: "a.md", Ranges: lines(1, 1)},
		"docs@feature%2Fx/a.md:1":               {Alias: "docs", Rev: "feature/x", Path: "a.md", Ranges: lines(1, 1)},
		"code@3f2c1e9/src/main.c:13-17":         {Alias: "code", Rev: "3f2c1e9", Path: "src/main.c", Ranges: lines(13, 17)},
		"code/src/main.c:13":                    {Alias: "code", Path: "src/main.c", Ranges: lines(13, 13)},
		"build:5:L40-L60":                       {Run: store.Ref{Source: "build", Serial: 5}, Ranges: lines(40, 60)},
		"o/n@t:912:L7":                          {Run: store.Ref{Repo: "o/n", Source: "t", Serial: 912}, Ranges: lines(7, 7)},
		"5:L1-L2":                               {Run: store.Ref{Serial: 5}, Ranges: lines(1, 2)},
		"build:L3":                              {Run: store.Ref{Source: "build"}, Ranges: lines(3, 3)},
		"bun:" + strings.Repeat("1,", 49) + "1": {Alias: "bun", Ranges: lines(oneTo(50)...)},
	} {
		got, err := docs.ParseCitation(text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got):\n%s", text, err, diff)
		}
		again, err := docs.ParseCitation(got.String())
		if diff := cmp.Diff(got, again); diff != "" || err != nil {
			t.Errorf("%q is written as %q: %v (-first +second):\n%s", text, got, err, diff)
		}
		if got.IsLog() != (want.Run != store.Ref{}) {
			t.Errorf("%q is of a log: %v", text, got.IsLog())
		}
	}
}

// oneTo returns n ranges of the first line.
func oneTo(n int) []int {
	var all []int
	for range n {
		all = append(all, 1, 1)
	}
	return all
}

func TestBadCitations(t *testing.T) {
	for text, why := range map[string]string{
		"":                                      "names no lines",
		"bun":                                   "names no lines",
		":1-2":                                  "names no lines",
		"bun:":                                  `"" is not a line`,
		"bun:abc-def":                           `"abc-def" is not a line or a range`,
		"bun:0":                                 "counted from 1",
		"bun:0-5":                               "counted from 1",
		"bun:20-10":                             `"20-10" ends before it begins`,
		"bun:10-":                               `"10-" is not a line`,
		"bun:-10":                               `"-10" is not a line`,
		"bun:1-2-3":                             `"1-2-3" is not a line`,
		"bun:1,":                                `"" is not a line`,
		"bun:+1":                                `"+1" is not a line`,
		"bun:1000000001":                        "is not a line",
		"bun:99999999999999999999":              "is not a line",
		"bun:1.5":                               "is not a line",
		"bun :1":                                `"bun " is not an alias`,
		"1bun:1":                                `"1bun" is not an alias`,
		"b_n!:1":                                "is not an alias",
		strings.Repeat("a", 65) + ":1":          "is not an alias",
		"bun@:1":                                `"" is not a revision`,
		"docs@a@b/c.md:1":                       "is not a revision",
		"docs/:1":                               `"" is not the path`,
		"docs//a.md:1":                          "is not the path",
		"docs/../a.md:1":                        "is not the path",
		"docs/a/../b.md:1":                      "is not the path",
		"docs/a/:1":                             "is not the path",
		"docs/a\x00b:1":                         "is not the path",
		"code:1-2":                              "names no source file",
		"code@3f2c1e9:1-2":                      "names no source file",
		"build:5:L60-L40":                       "lines of a log",
		"build:5:Lx":                            "lines of a log",
		"!:L4":                                  "lines of a log",
		"bun:" + strings.Repeat("1,", 50) + "1": "it has 51 ranges, and may have 50",
		strings.Repeat("x ", 1000) + ":1":       "…",
	} {
		_, err := docs.ParseCitation(text)
		code, ok := docs.CodeOf(err)
		if !ok || code != docs.BadCitation || store.CodeOf(err) != store.Invalid || store.NextOf(err) == nil {
			t.Errorf("%q: %v, code %d, %s", text, err, code, store.CodeOf(err))
			continue
		}
		if !strings.Contains(err.Error(), why) || len(err.Error()) > 600 {
			t.Errorf("%q: the error is %q; want %q in it", text, err, why)
		}
	}
}

func FuzzCitation(f *testing.F) {
	for _, seed := range []string{
		"bun:1-2,3", "docs@a%2Fb/c d.md:1", "build:5:L40-L60", "code@x/y:1", "docs/a:L1-L2", "::", "a@b@c/:1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := docs.ParseCitation(text)
		if err != nil {
			if code, _ := docs.CodeOf(err); code != docs.BadCitation {
				t.Fatalf("%q: %v has the code %d", text, err, code)
			}
			return
		}
		again, err := docs.ParseCitation(c.String())
		if diff := cmp.Diff(c, again); diff != "" || err != nil {
			t.Fatalf("%q is written as %q: %v (-first +second):\n%s", text, c, err, diff)
		}
	})
}
