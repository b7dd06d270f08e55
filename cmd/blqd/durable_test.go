//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/blq-ci/blq/internal/pgtest"
)

func TestDoctorWarnsOfADatabaseThatForgets(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		options pgtest.Options
		want    []string
	}{
		"safe":   {pgtest.Options{Durable: true}, nil},
		"unsafe": {pgtest.Options{}, []string{"fsync is off", "full_page_writes is off"}},
		// The service turns synchronous_commit on for its own connections. So there is no warning.
		"asynchronous": {pgtest.Options{Durable: true, Settings: []string{"synchronous_commit=off"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database, err := pgtest.Start(tt.options)
			check(t, err)
			t.Cleanup(func() { database.Close() })
			url := database.URL("postgres")
			check(t, migrated(t.Context(), url))
			out, err := command(t.Context(), []string{"BLQ_DATABASE_URL=" + url, "BLQ_DATA=" + t.TempDir()}, "doctor",
				"--addr=127.0.0.1:0", "--github-api=", "--issuers=").CombinedOutput()
			check(t, err)
			if strings.Count(string(out), "is off: a crash") != len(tt.want) {
				t.Errorf("it says:\n%s", out)
			}
			for _, w := range tt.want {
				if !strings.Contains(string(out), "WARN  database     "+w) {
					t.Errorf("it does not say %q:\n%s", w, out)
				}
			}
		})
	}
}
