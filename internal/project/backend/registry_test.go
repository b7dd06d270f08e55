package backend_test

import (
	"testing"

	"github.com/blq-ci/blq/internal/runner"
	"github.com/blq-ci/blq/store"
)

func TestRegisterTellsWhatItDid(t *testing.T) {
	t.Parallel()
	b, _ := newBackend(t)
	for _, tt := range []struct {
		c       runner.Command
		force   bool
		name    string
		message string
	}{
		{runner.Command{Name: "build", Cmd: "make -j8"}, false, "build", "Registered command 'build': make -j8"},
		{runner.Command{Name: "build", Cmd: "make  -j8 "}, false, "build", "Command 'build' is registered already: make -j8"},
		{runner.Command{Name: "build", Cmd: "make -j8", Timeout: 7}, false, "build",
			"Command 'build' is registered already, and its other settings stay: make -j8"},
		{runner.Command{Name: "compile", Cmd: "make -j8"}, false, "build",
			"The same command is registered as 'build': make -j8"},
		{runner.Command{Name: "build", Cmd: "make", Timeout: 7}, true, "build", "Registered command 'build': make"},
	} {
		tt.c.Capture = true
		got, err := b.Register(t.Context(), tt.c, tt.force)
		check(t, err)
		if got != (runner.Registered{Name: tt.name, Message: tt.message}) {
			t.Errorf("%+v: %+v, want %q", tt.c, got, tt.message)
		}
	}
	_, err := b.Register(t.Context(), runner.Command{Name: "build", Cmd: "ninja"}, false)
	wantCode(t, err, store.Conflict, `command "build" is registered already: make`)
	_, err = b.Register(t.Context(), runner.Command{Name: "x", Cmd: "x", Format: "gcd"}, false)
	wantCode(t, err, store.Invalid, `no format "gcd"; did you mean gcc?`)
	_, err = b.Register(t.Context(), runner.Command{Name: "x", Cmd: " "}, false)
	wantCode(t, err, store.Invalid, "no command to register")
	_, err = b.Register(t.Context(), runner.Command{Name: "a b", Cmd: "x"}, false)
	wantCode(t, err, store.Invalid, "cannot name a command")
	list, err := b.List(t.Context())
	check(t, err)
	if len(list) != 1 || list[0].Timeout != 7 {
		t.Errorf("commands %+v", list)
	}
	check(t, b.Unregister(t.Context(), "build"))
	wantCode(t, b.Unregister(t.Context(), "build"), store.NotFound, "'build' is not a registered command")
}
