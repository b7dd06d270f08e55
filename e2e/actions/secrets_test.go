//go:build e2e

package actions

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
)

// Secrets that the workflow in testdata/secrets prints in five encodings.
const (
	deployToken = `pa"ss w0rd&with/odd+characters`
	maskedValue = "masked-only-while-it-ran"
)

// encodings returns the forms in which the step prints a secret.
func encodings(secret string) []string {
	return []string{
		secret, base64.StdEncoding.EncodeToString([]byte(secret)), hex.EncodeToString([]byte(secret)),
		url.QueryEscape(secret), strings.ReplaceAll(secret, `"`, `\"`),
	}
}

// TestSecretsStayInTheJob checks that no secret is in the summary, the comment, the service or the kept files. Only the
// log of the job itself has the secrets.
func TestSecretsStayInTheJob(t *testing.T) {
	for name, bare := range map[string]bool{"sent to a server": false, "kept as artifacts": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "testdata/secrets")
			w.git("checkout", "-q", "-b", "feature")
			e := w.pull(repoName)
			e.bare, e.args = bare, []string{"-s", "DEPLOY_TOKEN=" + deployToken, "--insecure-secrets"}
			h := w.act(e)
			if h.code == 0 || strings.Count(h.log, "| 5 encodings of") != 2 {
				t.Fatalf("act ended with %d", h.code)
			}
			for _, form := range encodings(deployToken) {
				if !strings.Contains(h.log, form) {
					t.Errorf("the step does not print %s", form)
				}
			}
			places := map[string]string{"summary": h.summary}
			for _, c := range w.github.Comments(repoName, number) {
				places["comment"] = c.Body
			}
			for dir, at := range map[string]string{"service": w.data, "spool": filepath.Join(w.kept, "spool")} {
				for file, text := range plain(t, at) {
					places[dir+"/"+file] = text
				}
			}
			if !bare {
				places["log"] = w.blq("output", "deploy")
				if !strings.Contains(places["log"], "5 encodings of") || !strings.Contains(places["comment"], "deploy.c") {
					t.Errorf("log %s, comment %s", places["log"], places["comment"])
				}
			}
			if len(places) < 6 {
				t.Errorf("only %d places are looked at", len(places))
			}
			for place, text := range places {
				for _, secret := range append(encodings(deployToken), encodings(maskedValue)...) {
					if at := strings.Index(text, secret); at >= 0 {
						t.Errorf("%s is in %s: %.200q", secret, place, text[max(0, at-50):])
					}
				}
			}
		})
	}
}
