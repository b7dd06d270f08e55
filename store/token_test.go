package store_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/blq-ci/blq/store"
)

func TestTokensThatCanBeStored(t *testing.T) {
	good := func() store.Token {
		return store.Token{ID: "t1", Hash: bytes.Repeat([]byte{1}, 32),
			Scopes: []store.TokenScope{store.ScopeRead, store.ScopeRun}, Repos: []string{"o/n"}}
	}
	if err := good().Check(); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*store.Token){
		"no ID": func(t *store.Token) { t.ID = "" }, "a short hash": func(t *store.Token) { t.Hash = t.Hash[1:] },
		"no scope":         func(t *store.Token) { t.Scopes = nil },
		"an unknown scope": func(t *store.Token) { t.Scopes = append(t.Scopes, "root") },
		"a bad repository": func(t *store.Token) { t.Repos = append(t.Repos, "o") },
	} {
		bad := good()
		spoil(&bad)
		if err := bad.Check(); store.CodeOf(err) != store.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTokensEnd(t *testing.T) {
	at := time.Unix(1000, 0)
	for _, tt := range []struct {
		token store.Token
		now   time.Time
		want  string
	}{
		{store.Token{}, at, ""},
		{store.Token{ExpiresAt: at}, at.Add(-1), ""},
		{store.Token{ExpiresAt: at}, at, "expired"},
		{store.Token{RevokedAt: at}, at.Add(-1), ""},
		{store.Token{RevokedAt: at}, at, "revoked"},
		{store.Token{RevokedAt: at, ExpiresAt: at}, at.Add(1), "revoked"},
		{store.Token{RevokedAt: at.Add(2), ExpiresAt: at}, at.Add(1), "expired"},
	} {
		if got := tt.token.Ended(tt.now); got != tt.want {
			t.Errorf("%+v at %v: %q, want %q", tt.token, tt.now, got, tt.want)
		}
	}
}

func TestRepositoriesThatCanBeEnrolled(t *testing.T) {
	r, err := store.EnrolledRepo{ID: 1, Name: "o/n"}.Checked()
	if err != nil || r.Host != store.DefaultHost {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = (store.EnrolledRepo{Host: "ghes", ID: 1, Name: "o/n"}).Checked(); err != nil || r.Host != "ghes" {
		t.Errorf("%+v, %v", r, err)
	}
	for _, bad := range []store.EnrolledRepo{{Name: "o/n"}, {ID: -1, Name: "o/n"}, {ID: 1, Name: "o"}} {
		if _, err := bad.Checked(); store.CodeOf(err) != store.Invalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestScopes(t *testing.T) {
	for _, tt := range []struct {
		scope store.Scope
		has   bool
	}{{store.Scope{}, false}, {store.Everything(), true}, {store.Repos("o/m", "o/n"), true}, {store.Repos("o/m"), false}} {
		if tt.scope.Has("o/n") != tt.has {
			t.Errorf("%+v has o/n: %v", tt.scope, !tt.has)
		}
	}
}
