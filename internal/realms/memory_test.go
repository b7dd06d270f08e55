package realms_test

import (
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/realms"
	"github.com/blq-ci/blq/query"
)

// A service with a memory gives the same answers as a service without a memory. This also holds after changes of files,
// for callers who see less, and if the memory is too small.
func TestMemoryDoesNotChangeAnswers(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{1 << 20, 4000, 0} {
		f := newFixture(t)
		memory := realms.NewMemory(size)
		ask := func(repo string, sees ...string) string {
			t.Helper()
			var answers []string
			for _, m := range []*realms.Memory{nil, memory, memory} {
				a := f.asker(sees...)
				of := a.Realms.(realms.Stored)
				of.Files = m
				a.Realms = of
				answers = append(answers, text(a.RealmCheck(t.Context(), query.RealmCheckParams{RealmAt: query.RealmAt{
					Repo: repo}})))
			}
			if answers[0] != answers[1] || answers[1] != answers[2] {
				t.Errorf("size %d: %s\nwithout memory, then\n%s\n%s", size, answers[0], answers[1], answers[2])
			}
			return answers[0]
		}
		all := []string{"acme/realm-aperture", "acme/azure", "acme/fungal", "acme/crimson"}
		f.push("acme/realm-aperture", 1, aperture, "main")
		f.push("acme/azure", 2, files{".blue/config.yaml": config("azure")}, "main")
		f.push("acme/fungal", 3, files{".blue/config.yaml": config("fungal")}, "main")
		first := ask("acme/azure", all...)
		ask("acme/azure", "acme/azure")
		ask("acme/fungal", "acme/fungal")
		next := files{}
		for path, content := range aperture {
			next[path] = strings.Replace(content, "enum: [low, high]", "enum: [low]", 1)
		}
		f.push("acme/realm-aperture", 4, next, "main", 1)
		if after := ask("acme/azure", all...); after == first {
			t.Errorf("size %d: a changed schema does not change the answer: %s", size, after)
		}
		if hidden := ask("acme/fungal", "acme/fungal"); strings.Contains(hidden, "crimson") {
			t.Errorf("size %d: %s", size, hidden)
		}
	}
}
