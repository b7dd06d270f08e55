package store_test

import (
	"strings"
	"testing"

	"github.com/blq-ci/blq/store"
)

func TestRefIsWrittenAsItIsRead(t *testing.T) {
	for want, r := range map[string]store.Ref{
		"latest":          {},
		"~2":              {Back: 2},
		"build:latest":    {Source: "build"},
		"build:~1":        {Source: "build", Back: 1},
		"build:5":         {Source: "build", Serial: 5, Back: 7},
		"5":               {Serial: 5},
		"o/n@build:5:3":   {Repo: "o/n", Source: "build", Serial: 5, Event: 3, From: 1},
		"build:5:L40":     {Source: "build", Serial: 5, From: 40},
		"build:5:L40-L41": {Source: "build", Serial: 5, From: 40, To: 41},
		"5:L40":           {Serial: 5, From: 40, To: 40},
		"7":               {Serial: 7, To: 9},
		"0199-x:3":        {Attempt: "0199-x", Event: 3, Serial: 4},
	} {
		if got := r.String(); got != want {
			t.Errorf("%+v: got %q, want %q", r, got, want)
		}
		if r.IsEvent() != (r.Event > 0) {
			t.Errorf("%+v is an event: %v", r, r.IsEvent())
		}
	}
	if got := (store.Ref{Repo: "o/n", Source: "build", Serial: 5, Event: 3}).Short(); got != "o/n@5:3" {
		t.Errorf("short: %s", got)
	}
	if got := (store.Ref{Serial: 5, From: 3, To: 9}).WithEvent(2); got != (store.Ref{Serial: 5, Event: 2}) {
		t.Errorf("with an event: %+v", got)
	}
}

func TestNamesOfSources(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "z": true, "A": true, "Z": true, "_": true, "é": true, "a0": true, "a9": true, "ci/x-1.2_b+c": true,
		strings.Repeat("a", 100): true,
		"":                       false, "0": false, "9": false, "1.2": false, "~a": false, "a b": false, "a:b": false,
		"a@b": false, "a`": false, "a{": false, "a[": false, "a/": true, "a!": false, strings.Repeat("a", 101): false,
	} {
		if got := store.IsSourceName(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	for text, want := range map[string]string{
		"make": "make", "/usr/bin/gcc-12": "gcc-12", `C:\bin\cl.exe`: "cl", "my tool": "my-tool", "a@b~c": "a-b-c",
		"_azAZ09.+-x": "_azAZ09.+-x",
		"a`{[/b":      "b", "a`{[@:b": "a-----b", "": "run", "latest": "run", "12": "run", "--.": "run", "x/": "run",
		"-x-":                    "x",
		strings.Repeat("a", 101): strings.Repeat("a", 100), strings.Repeat("a", 99): strings.Repeat("a", 99),
	} {
		if got := store.SourceName(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestNamesOfRepositories(t *testing.T) {
	for name, want := range map[string]bool{
		"o/n": true, "o/n/m": true, "": false, "o": false, "/n": false, "o/": false, "o@/n": false, "o/n:1": false,
		"o /n": false, "o/n//m": false,
	} {
		if got := store.IsRepoName(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
