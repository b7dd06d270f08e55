package worktree_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// many returns a repository with n documents.
func many(b testing.TB, n int) *project {
	b.Helper()
	p := newProject(b)
	for i := range n {
		p.write(fmt.Sprintf("docs/%d/%d.md", i/100, i), fmt.Sprintf("# Document %d\n\n%s", i, strings.Repeat("text ", 300)))
	}
	p.commit("many")
	return p
}

func BenchmarkWorkTree(b *testing.B) {
	p := many(b, 10_000)
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			os.Remove(p.Cache)
			if got := len(p.at("").Files()); got != 10_000 {
				b.Fatal(got)
			}
		}
	})
	b.Run("warm", func(b *testing.B) {
		for b.Loop() {
			p.at("")
		}
	})
	b.Run("warm-one-changed", func(b *testing.B) {
		p.write("docs/0/0.md", "changed\n")
		for b.Loop() {
			p.at("")
		}
	})
	b.Run("git-status", func(b *testing.B) {
		for b.Loop() {
			p.git("status", "--porcelain", "-uall")
		}
	})
}
