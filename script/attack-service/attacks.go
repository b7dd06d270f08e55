//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"

	"github.com/blq-ci/blq/store/storetest"
)

// attacks lists the attacks in the order in which they run. The first does nothing, for comparison.
var attacks = []attack{
	{"none", nothing, func(*attacker) {}},
	{"SQL statements", largeRuns, (*attacker).statements},
	{"headers without bodies", nothing, (*attacker).headersAlone},
	{"webhooks without signature", nothing, (*attacker).webhooks},
	{"idle connections", nothing, (*attacker).idle},
	{"random tokens", nothing, (*attacker).guesses},
	{"HTTP/2 rapid reset", nothing, (*attacker).rapidReset},
	{"HTTP/2 many streams", nothing, (*attacker).manyStreams},
	{"HTTP/2 continuation", nothing, (*attacker).continuation},
	{"slow readers", largeRuns, (*attacker).slowReaders},
	{"slow headers", nothing, (*attacker).slowHeaders},
	{"slow bodies", nothing, (*attacker).slowBodies},
	{"bombs", nothing, (*attacker).bombs},
	{"events of one tenant", nothing, (*attacker).sendEvents},
	{"logs of one tenant", nothing, (*attacker).sendLogs},
	{"starts of one tenant", nothing, (*attacker).startRuns},
	{"results of tests", testedRuns, (*attacker).sendTests},
	{"questions of large runs", largeRuns, (*attacker).askLarge},
	{"questions of many runs", manyRuns, (*attacker).askMany},
	{"searches of a large log", largeLog, (*attacker).search},
	{"agents", largeRuns, (*attacker).agents},
	{"facts of one tenant", nothing, (*attacker).sendFacts},
	{"questions of documents", documents, (*attacker).readFacts},
	{"sources from outside", nothing, (*attacker).addSources},
	{"every question", largeRuns, (*attacker).askEverything},
	{"streams of events", nothing, (*attacker).streams},
	{"unread streams of events", largeRuns, (*attacker).unreadStreams},
	{"sessions of agents", nothing, (*attacker).sessions},
	{"small bombs", nothing, (*attacker).smallBombs},
	{"heartbeats", nothing, (*attacker).heartbeats},
	{"pipelined requests", nothing, (*attacker).pipelined},
	{"values of JSON", nothing, (*attacker).values},
	{"long texts", nothing, (*attacker).longTexts},
	{"large headers", nothing, (*attacker).largeHeaders},
	{"slow readers of exports", largeRuns, (*attacker).slowExports},
	{"slow readers of logs", largeLog, (*attacker).slowLogs},
	{"slow readers of short answers", largeRuns, (*attacker).slowShort},
	{"windows of zstd", nothing, (*attacker).windows},
	{"pruning", manyRuns, (*attacker).duringPruning},
	{"open requests", nothing, (*attacker).openRequests},
	{"missing bodies", nothing, (*attacker).missingBodies},
	{"bytes as chunks", nothing, (*attacker).chunkedBytes},
	{"expected bodies", nothing, (*attacker).expects},
	{"dripping bodies", nothing, (*attacker).drips},
	{"odd JSON", largeRuns, (*attacker).oddJSON},
	{"odd tokens", nothing, (*attacker).oddTokens},
	{"signed deliveries", nothing, (*attacker).deliveries},
	{"expensive patterns", largeLog, (*attacker).patterns},
	{"hostile facts", nothing, (*attacker).hostileFacts},
	{"tenants at war", largeRuns, (*attacker).war},
}

// beside holds the arguments of commands of blqd that work on the same data during an attack, by name of the attack.
var beside = map[string][]string{"pruning": {"prune", "--keep-runs", "5"}}

// statements sends SQL that needs much memory or time.
func (a *attacker) statements() {
	list := storetest.Attacks()
	names := slices.Sorted(maps.Keys(list))
	a.workers(20, func(int) {
		sql := list[names[int(a.n.Add(1))%len(names)]]
		body, _ := json.Marshal(map[string]any{"params": map[string]any{"sql": sql}})
		a.call(a.Tokens[0], "POST", "/v1/ask/query", body, "Content-Type", "application/json")
	})
}

// guesses sends invalid tokens over many connections.
func (a *attacker) guesses() {
	a.workers(64, func(int) {
		a.call(fmt.Sprintf("blq_%032x", rand.Uint64()), "GET", "/v1/status", nil)
	})
}

// webhooks sends large bodies with wrong signatures.
func (a *attacker) webhooks() {
	body := make([]byte, 1<<20)
	a.workers(32, func(int) {
		a.call("", "POST", "/webhooks/github", body, "X-Hub-Signature-256", "sha256="+fmt.Sprintf("%064x", 1),
			"X-GitHub-Event", "workflow_job", "Content-Type", "application/json")
	})
}

// ofRuns are the questions about a run.
var ofRuns = []string{"triage", "diff", "report", "brief", "info", "check", "pull", "events", "inspect"}

// ask asks a question through the API that the command line uses.
func (a *attacker) ask(token, question, params string) int {
	return a.call(token, "POST", "/v1/ask/"+question, []byte(`{"params":`+params+`}`), "Content-Type", "application/json")
}

var parameters = map[string]string{
	"diff": `{"run2":"t0/app@build:2"}`, "check": `{"run":"t0/app@build:2"}`,
	"events":  `{"ref":"t0/app@build:2","limit":10000}`,
	"inspect": `{"ref":"t0/app@build:2:7","fingerprint":true}`,
	"pull":    `{"commit":"` + fmt.Sprintf("%040x", 22) + `"}`,
}

// askLarge asks about large runs.
func (a *attacker) askLarge() {
	a.workers(16, func(worker int) {
		q := ofRuns[(worker+int(a.n.Add(1)))%len(ofRuns)]
		p, ok := parameters[q]
		if !ok {
			p = `{"ref":"t0/app@build:2"}`
		}
		if status := a.ask(a.Tokens[0], q, p); status >= 400 && status != 429 {
			a.note(fmt.Sprint(status, " ", q))
		}
	})
}

// askMany asks about many runs.
func (a *attacker) askMany() {
	paths := []string{"/v1/history?limit=10000", "/v1/status", "/v1/events?severity=error&limit=10000", "/v1/triage",
		"/v1/query?" + url.Values{"sql": {"SELECT count(*), source_name FROM lq_events GROUP BY 2"}}.Encode(),
		"/v1/query?" + url.Values{"filter": {"severity=error message~nowhere"}}.Encode(),
		"/v1/history?limit=10000&status=FAIL"}
	a.workers(16, func(int) { a.call(a.Tokens[0], "GET", paths[int(a.n.Add(1))%len(paths)], nil) })
}

// duringPruning asks about runs that are being removed, and sends further runs.
func (a *attacker) duringPruning() {
	a.workers(8, func(worker int) {
		if worker%4 == 0 {
			a.sendRun(0, "t0/app", 10)
			return
		}
		n := int(a.n.Add(1))
		questions := []string{"triage", "report", "brief", "info", "events", "raw"}
		a.ask(a.Tokens[0], questions[n%len(questions)], fmt.Sprintf(`{"ref":"t0/app@build:%d"}`, 1+n%max(1, a.Runs)))
	})
}

// search searches a long log.
func (a *attacker) search() {
	patterns := []string{`(x+x+)+y`, `a.*b.*c.*d.*e.*f`, `nowhere`, `.`, `\b\w{5,9}\b.*\d+$`, `(?i)ERROR.*(fail|panic)`}
	a.workers(16, func(int) {
		p := patterns[int(a.n.Add(1))%len(patterns)]
		a.call(a.Tokens[0], "GET", "/v1/output?"+url.Values{"ref": {"t0/app@build:1"}, "grep": {p}}.Encode(), nil)
	})
}

// agents calls tools over MCP.
func (a *attacker) agents() {
	tools := []string{"triage", "status", "history", "events", "diff", "summarize", "inspect", "output", "info"}
	a.workers(32, func(int) {
		n := int(a.n.Add(1))
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, n,
			tools[n%len(tools)])
		if n%10 == 0 {
			body = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, n)
		}
		a.call(a.Tokens[0], "POST", "/mcp", []byte(body), "Content-Type", "application/json", "Accept",
			"application/json, text/event-stream")
	})
}

// war lets all tenants attack at once. Each tenant sends runs, asks questions, and executes a slow query in SQL.
func (a *attacker) war() {
	for tenant := range a.Tokens {
		r := rand.New(rand.NewPCG(1, uint64(tenant)))
		repo := fmt.Sprintf("t%d/app", tenant)
		a.workers(4, func(worker int) {
			switch worker {
			case 0:
				a.sendRun(tenant, repo, 10)
			case 1:
				a.ask(a.Tokens[tenant], ofRuns[int(a.n.Add(1))%len(ofRuns)], `{}`)
			case 2:
				a.call(a.Tokens[tenant], "GET", "/v1/"+[]string{"status", "history", "events"}[r.IntN(3)], nil)
			default:
				a.ask(a.Tokens[tenant], "query", `{"sql":"SELECT count(*) FROM lq_events a, lq_events b"}`)
			}
		})
	}
}
