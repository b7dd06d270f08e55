package docs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/facts/docs"
)

const guide = `---
title: The Guide
---
Before all headings.

# Test runner

Bun includes a fast built-in test runner.

## Installation

No installation needed, run it.

` + "```sh\n# no heading: bun test --rerun-each 10\n```" + `

## Watch mode

Pass --watch, or set bail_out.

# API-Schlüssel abrufen

Der Schlüssel.
`

// one returns a source that has one document.
func one(t testing.TB, text string) *docs.Source {
	t.Helper()
	set := memory{"llms.txt": text}
	s, err := docs.NewSource("bun", "", set, index(t, set, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSearch(t *testing.T) {
	s := one(t, guide)
	for query, want := range map[string]string{
		"fast runner":              "6-9 Test runner",
		"# installation":           "10-17 Test runner > Installation",
		"#installation":            "10-17 Test runner > Installation",
		"api schluessel abrufen":   "22-24 API-Schlüssel abrufen",
		"API Schlussel":            "22-24 API-Schlüssel abrufen",
		"schlüssel":                "22-24 API-Schlüssel abrufen",
		"SCHLÜSSEL":                "22-24 API-Schlüssel abrufen",
		"--watch":                  "18-21 Test runner > Watch mode",
		"bail_out":                 "18-21 Test runner > Watch mode",
		"bail":                     "18-21 Test runner > Watch mode",
		"--rerun-each":             "10-17 Test runner > Installation",
		`"built-in test runner"`:   "6-9 Test runner",
		`"before all headings"`:    "1-5 The Guide",
		"before all":               "1-5 The Guide",
		`"runner test"`:            "",
		`"needed installation"`:    "",
		"nothing like it":          "",
		"?!":                       "",
		`"not closed installation`: "10-17 Test runner > Installation",
	} {
		hits := search(t, s, docs.Query{Text: query})
		got := ""
		if len(hits) > 0 {
			got = hits[0].Lines + " " + strings.Join(hits[0].HeadingPath, " > ")
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
		for i, h := range hits {
			if h.Score <= 0 || h.Score > 100 || i > 0 && h.Score > hits[i-1].Score {
				t.Errorf("%s: hit %d has the score %v", query, i, h.Score)
			}
		}
	}
}

func TestHeadingsOnly(t *testing.T) {
	s := one(t, guide)
	for query, want := range map[string]int{
		"fast": 0, "watch": 1, "test runner": 3, `"test runner"`: 1, `"built-in test runner"`: 0, "guide": 1, "txt": 0,
	} {
		if hits := search(t, s, docs.Query{Text: query, HeadingsOnly: true}); len(hits) != want {
			t.Errorf("%s: %d hits, want %d: %+v", query, len(hits), want, hits)
		}
	}
	if hits := search(t, s, docs.Query{Text: "test runner", HeadingsOnly: true}); hits[0].Lines != "6-9" {
		t.Errorf("the heading itself is not first: %+v", hits)
	}
}

func TestNumberSignBoostsHeadingsBeforeABlank(t *testing.T) {
	s := one(t, "# Zero\n\ncache one cache one\n\n# The cache of the one two three\n\nfiller filler\n\n"+
		"# C\n\n#include cache\n")
	plain := search(t, s, docs.Query{Text: "cache one"})
	boosted := search(t, s, docs.Query{Text: "# cache one"})
	if boosted[0].HeadingPath[0] != "The cache of the one two three" || boosted[0].Score <= plain[0].Score {
		t.Errorf("got %+v\nthen %+v", plain, boosted)
	}
	if hits := search(t, s, docs.Query{Text: "#include"}); len(hits) != 1 || hits[0].HeadingPath[0] != "C" {
		t.Errorf("#include: %+v", hits)
	}
}

func TestMaxHits(t *testing.T) {
	s := one(t, strings.Repeat("# Same\n\nsame words\n\n", 120))
	for max, want := range map[int]int{0: 10, 1: 1, 3: 3, 50: 50} {
		hits := search(t, s, docs.Query{Text: "same", Max: max})
		if len(hits) != want || hits[0].Lines != "1-4" || want > 1 && hits[1].Lines != "5-8" {
			t.Errorf("max %d: %d hits, the first %+v", max, len(hits), hits[0])
		}
	}
	for name, q := range map[string]docs.Query{
		"more than 50": {Text: "same", Max: 51}, "less than none": {Text: "same", Max: -1},
		"empty": {}, "blank": {Text: " \t\n"},
	} {
		_, err := s.Search(t.Context(), q)
		if code, _ := docs.CodeOf(err); code != docs.BadParams {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestHitsAreTheSeedsJSON(t *testing.T) {
	set := memory{"guide/mcp.md": guide, "other.md": "# Other\n"}
	s, err := docs.NewSource("docs", "3f2c1e9", set, index(t, set, nil), func(path string, r docs.Range) string {
		return "https://example.org/" + path + "#L" + r.Lines()
	})
	if err != nil {
		t.Fatal(err)
	}
	hits := search(t, s, docs.Query{Text: "watch mode"})
	snippets, err := s.Snippets(t.Context(), cite(t, hits[0].Alias+":"+hits[0].Lines), docs.Context{})
	if err != nil {
		t.Fatal(err)
	}
	hits[0].Score = 92.5
	found := docs.Found{Snippets: snippets, Hits: hits[:1], Executed: docs.Executed{Searched: true}}
	got, err := json.MarshalIndent(found, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want := `{
 "snippets": [
  {
   "alias": "docs/guide/mcp.md",
   "lines": "18-21",
   "content": "## Watch mode\n\nPass --watch, or set bail_out.\n",
   "headingPath": [
    "Test runner",
    "Watch mode"
   ],
   "sourceUrl": "https://example.org/guide/mcp.md#L18-21",
   "ref": "docs@3f2c1e9/guide/mcp.md:18-21"
  }
 ],
 "hits": [
  {
   "alias": "docs/guide/mcp.md",
   "lines": "18-21",
   "headingPath": [
    "Test runner",
    "Watch mode"
   ],
   "snippet": "Pass --watch, or set bail_out.",
   "score": 92.5,
   "sourceUrl": "https://example.org/guide/mcp.md#L18-21",
   "ref": "docs@3f2c1e9/guide/mcp.md:18-21"
  }
 ],
 "executed": {
  "searched": true,
  "retrievedSnippets": false
 }
}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func cite(t testing.TB, text string) docs.Citation {
	t.Helper()
	c, err := docs.ParseCitation(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSnippets(t *testing.T) {
	s := one(t, guide)
	for name, c := range map[string]struct {
		cite string
		with docs.Context
		want []string // alias:lines and headings
	}{
		"lines":          {"bun:8", docs.Context{}, []string{"bun:8-8 Test runner"}},
		"in code":        {"bun:15", docs.Context{}, []string{"bun:15-15 Test runner > Installation"}},
		"above headings": {"bun:2", docs.Context{}, []string{"bun:2-2 The Guide"}},
		"several": {"bun:20,8-9", docs.Context{Padding: 1}, []string{
			"bun:19-21 Test runner > Watch mode", "bun:7-10 Test runner",
		}},
		"section":         {"bun:12", docs.Context{Mode: docs.Symmetric}, []string{"bun:10-17 Test runner > Installation"}},
		"with children":   {"bun:6-8", docs.Context{Mode: docs.Symmetric}, []string{"bun:6-21 Test runner"}},
		"of two children": {"bun:12-19", docs.Context{Mode: docs.Symmetric}, []string{"bun:6-21 Test runner > Installation"}},
		"of two trees":    {"bun:12-23", docs.Context{Mode: docs.Symmetric}, []string{"bun:6-24 Test runner > Installation"}},
		"from the top":    {"bun:2-7", docs.Context{Mode: docs.Symmetric}, []string{"bun:1-21 The Guide"}},
		"all":             {"bun:12", docs.Context{Mode: docs.All}, []string{"bun:1-24 Test runner > Installation"}},
	} {
		snippets, err := s.Snippets(t.Context(), cite(t, c.cite), c.with)
		var got []string
		for _, s := range snippets {
			got = append(got, s.Alias+":"+s.Lines+" "+strings.Join(s.HeadingPath, " > "))
		}
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestCitationsOfSeveralDocuments(t *testing.T) {
	s := source(t, memory{"guide/mcp.md": guide, "b.md": "# B\n"})
	for text, want := range map[string]docs.Code{
		"docs/guide/mcp.md:1": 0, "docs:1": docs.BadCitation, "docs/mcp.md:1": docs.NoSource, "docs/b.md:2": docs.BadParams,
	} {
		_, err := s.Snippets(t.Context(), cite(t, text), docs.Context{})
		if code, _ := docs.CodeOf(err); code != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestHeadings(t *testing.T) {
	headings, err := one(t, guide).Headings("")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range headings {
		got = append(got, strings.Repeat("#", h.Level)+h.Text+" "+h.Lines+" "+h.Ref)
	}
	want := []string{"The Guide 1-5 bun:1-5", "#Test runner 6-21 bun:6-21", "##Installation 10-17 bun:10-17",
		"##Watch mode 18-21 bun:18-21", "#API-Schlüssel abrufen 22-24 bun:22-24"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	moved, err := one(t, "# New\n\n## test  RUNNER \n").Headings("")
	if err != nil {
		t.Fatal(err)
	}
	same := moved[1].Anchor == headings[1].Anchor && len(moved[1].Anchor) == 22
	if !same || moved[0].Anchor == moved[1].Anchor {
		t.Errorf("%+v\nand %+v", moved, headings)
	}
}
