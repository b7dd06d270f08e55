package realms

import (
	"os/exec"
	"testing"
)

func TestOriginsOfManyKinds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ address, host, repo string }{
		{"https://github.com/acme/shop.git", "github.com", "acme/shop"},
		{"https://git.example.com:8443/acme/shop", "git.example.com:8443", "acme/shop"},
		{"ssh://git@git.example.com:2222/acme/shop.git", "git.example.com", "acme/shop"},
		{"git@github.com:acme/shop.git", "github.com", "acme/shop"},
		{"file:///srv/shop", "", ""},
		{"/srv/shop", "", ""},
		{"../acme/shop", "", ""},
		{`C:\acme\shop`, "", ""},
	} {
		dir := t.TempDir()
		for _, args := range [][]string{{"init", "-q"}, {"config", "remote.origin.url", tt.address}} {
			if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
				t.Fatalf("git %v: %s", args, out)
			}
		}
		if host, repo := originOf(t.Context(), dir); host != tt.host || repo != tt.repo {
			t.Errorf("%s: %q and %q, want %q and %q", tt.address, host, repo, tt.host, tt.repo)
		}
	}
}
