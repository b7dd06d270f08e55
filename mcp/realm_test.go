package mcp_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/blq-ci/blq/facts/realm"
	"github.com/blq-ci/blq/mcp"
	"github.com/blq-ci/blq/query"
	"github.com/blq-ci/blq/query/querytest"
	"github.com/blq-ci/blq/query/questions"
	"github.com/blq-ci/blq/store"
)

// small is a realm with one contract.
type small struct{}

func (small) Realm(_ context.Context, of query.RealmOf) (query.RealmFound, error) {
	if of.Realm == "none" {
		return query.RealmFound{}, query.NoRealm()
	}
	return query.RealmFound{Current: "blue", Realm: realm.Read([]realm.File{
		{Path: "realm.yaml", Text: []byte("name: aperture")},
		{Path: "domains/s3/domain.yaml", Text: []byte("members: [blue]")},
		{Path: "domains/s3/contracts/c.yaml", Text: []byte("version: one\nowner: blue")},
	})}, nil
}

// Member implements query.Realms.
func (s small) Member(ctx context.Context, of query.RealmOf) (query.RealmFound, error) {
	return s.Realm(ctx, of)
}

func (small) Past(context.Context, query.RealmFound, string, string, string, int) ([]query.ContractWas, error) {
	return nil, store.Errorf(store.NotFound, "nothing is committed there")
}

func (small) Notices(context.Context, query.RealmFound) ([]store.Notification, error) {
	return []store.Notification{{ID: "notif-1", Contract: "c", Change: string(realm.VersionChanged), OldVersion: "1.0.0",
		NewVersion: "2.0.0", Breaking: true, CreatedAt: time.Now()}}, nil
}

func (small) Mark(context.Context, query.RealmFound, []string, []string, time.Time) error { return nil }

// serveRealm serves the tools of realms.
func serveRealm(t *testing.T, change ...func(*mcp.Config)) *server {
	t.Helper()
	f := querytest.New(t)
	f.Realms = small{}
	return serveOn(t, f, append(change, func(c *mcp.Config) { c.Also = []string{questions.Realm} })...)
}

// maxRealm is the max size of the definitions of the eight realm tools in bytes of JSON: 3,150 tokens of 4.2 bytes.
// Only agents in a repository with a realm read them.
const maxRealm = 13_200

func TestToolsOfRealmsCostLittle(t *testing.T) {
	t.Parallel()
	without, _ := serve(t).request("tools/list", nil)
	with, problem := serveRealm(t).request("tools/list", nil)
	if problem != "" || len(with) <= len(without) || len(with)-len(without) > maxRealm {
		t.Errorf("%d bytes more, max %d; %s", len(with)-len(without), maxRealm, problem)
	}
	if strings.Contains(string(without), `"realm_status"`) {
		t.Error("a project without a realm is offered its tools")
	}
}

func TestToolsOfRealmsAnswer(t *testing.T) {
	t.Parallel()
	s := serveRealm(t)
	for _, c := range []struct{ tool, arguments, want string }{
		{"realm_status", `{}`, `"contracts":[{"name":"c","version":"one","owner":"blue"}]`},
		{"realm_status", `{}`, `"next_steps":["1 pending notification to review","Contract c was updated and breaks`},
		{"realm_check", `{}`, `"notifications":[{"id":"notif-1",`},
		{"notifications_list", `{"state":"pending"}`, `"summary":{"total":1,"pending":1,"seen":0,"expired_cleaned":0}`},
		{"notifications_list", `{"state":"seen"}`, `"notifications":[],"summary":{"total":0,"pending":1,`},
		{"realm_check", `{"cwd":"/"}`, `"kind":"ContractInvalid"`},
		{"contract_get", `{"domain":"s3","contract":"c"}`, `"next_steps":["You own this contract. You can modify it."]`},
	} {
		if text, isError := s.call(c.tool, c.arguments); isError || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: %s", c.tool, c.arguments, text)
		}
	}
}

func TestErrorsOfRealms(t *testing.T) {
	t.Parallel()
	s := serveRealm(t)
	for _, c := range []struct {
		tool, arguments, message string
		code                     store.Code
	}{
		{"realm_check", `{"realm":"none"}`, "Not in a realm repo: .blue/config.yaml is not there", store.NotFound},
		{"contract_get", `{"domain":"s3","contract":"d"}`, `The domain s3 has no contract "d"`, store.NotFound},
		{"contract_get", `{}`, "contract_get needs domain: name of the domain", store.Invalid},
		{"realm_status", `{"cvd":"/"}`, "realm_status has no parameter \"cvd\"; did you mean cwd?", store.Invalid},
	} {
		text, isError := s.call(c.tool, c.arguments)
		var e struct {
			Status, Message string
			Code            store.Code
			NextSteps       []string `json:"next_steps"`
		}
		querytest.Check(t, json.Unmarshal([]byte(text), &e))
		if !isError || e.Status != "error" || e.Message != c.message || e.Code != c.code || len(e.NextSteps) != 1 {
			t.Errorf("%s %s: %s", c.tool, c.arguments, text)
		}
	}
}
