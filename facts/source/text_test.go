package source_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/blq-ci/blq/facts/source"
	"github.com/blq-ci/blq/store"
)

func TestOnlyTextIsTaken(t *testing.T) {
	for name, c := range map[string]struct{ kind, body, word string }{
		"a page":              {"text/html; charset=utf-8", "<p>hi", "web page"},
		"a page in disguise":  {"text/plain", "\n<!DOCTYPE html><html>", "web page"},
		"a picture":           {"image/png", "png", "image/png"},
		"bytes":               {"text/plain", "a\x00b", "not text"},
		"another charset":     {"text/plain; charset=shift_jis", "abc", "shift_jis"},
		"nothing":             {"text/plain", " \n", "empty"},
		"a program":           {"application/octet-stream", "abc", "octet-stream"},
		"an unreadable type":  {"/", "abc", "content type"},
		"JSON, which is data": {"application/json", "{}", "application/json"},
	} {
		t.Run(name, func(t *testing.T) {
			_, f := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				_, _ = io.WriteString(w, c.body)
			})
			_, err := f.Fetch(t.Context(), "https://example.com/x", source.Known{})
			if store.CodeOf(err) != store.Failed || !strings.Contains(err.Error(), c.word) {
				t.Errorf("%v", err)
			}
			if c.word == "web page" && !strings.Contains(fmt.Sprint(store.NextOf(err)), "https://example.com/llms-full.txt") {
				t.Errorf("next step: %v", store.NextOf(err))
			}
		})
	}
}

func TestTextBecomesUTF8(t *testing.T) {
	for name, c := range map[string]struct{ kind, body, want string }{
		"a mark":       {"text/plain", "\xef\xbb\xbf# A", "# A"},
		"Latin-1":      {"text/plain; charset=ISO-8859-1", "gr\xfc\xdfe \x80", "grüße €"},
		"UTF-16":       {"text/plain", "\xff\xfea\x00\xfc\x00", "aü"},
		"big UTF-16":   {"text/plain; charset=utf-16", "\x00a\x00b", "ab"},
		"broken UTF-8": {"text/plain", "a\xffb", "a\uFFFDb"},
		"no type":      {"", "a", "a"},
		"a download":   {"application/octet-stream", "# A", "# A"},
	} {
		t.Run(name, func(t *testing.T) {
			_, f := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = []string{c.kind}
				_, _ = io.WriteString(w, c.body)
			})
			if page := fetch(t, f, "https://example.com/x.md"); string(page.Text) != c.want {
				t.Errorf("%q, want %q", page.Text, c.want)
			}
		})
	}
}
