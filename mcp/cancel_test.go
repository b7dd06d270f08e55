package mcp_test

import (
	"strings"
	"testing"
)

func TestCancelEndsARunOfThisServer(t *testing.T) {
	t.Parallel()
	s, _ := serveLocal(t)
	const endless = `while :; do sleep 0.01; done`
	a := s.do("exec", `{"wait": 0, `+strings.TrimPrefix(script(t, "echo started; "+endless), "{"), false)
	if got := s.do("cancel", `{"ref": "`+a.RunRef+`"}`, false); !got.Success || got.Message != "Cancelled "+a.RunRef {
		t.Errorf("answer %+v", got)
	}
	if text, _ := s.call("info", `{"tail": 5}`); !strings.Contains(text, `"status":"CANCELLED"`) ||
		!strings.Contains(text, "started") {
		t.Errorf("afterwards: %s", text)
	}
	again := s.do("cancel", `{"ref": "`+a.RunRef+`"}`, true)
	if again.Code != "conflict" || again.Error != a.RunRef+" has ended: CANCELLED" ||
		!strings.HasPrefix(again.Next, `info(ref="`+a.RunRef+`")`) {
		t.Errorf("again: %+v", again)
	}
	if got := s.do("cancel", `{"ref": "nothing:7"}`, true); got.Code != "not_found" {
		t.Errorf("of a run that is not there: %+v", got)
	}
}

// A run of another server may belong to another user.
func TestCancelLeavesRunsOfOthersAlone(t *testing.T) {
	t.Parallel()
	s, dir := serveLocal(t)
	other := serveIn(t, dir)
	a := other.do("exec", `{"wait": 0, `+strings.TrimPrefix(script(t, `while :; do sleep 0.01; done`), "{"), false)
	got := s.do("cancel", `{"ref": "`+a.RunRef+`"}`, true)
	if got.Code != "forbidden" || !strings.Contains(got.Error, "was not started by this server") {
		t.Errorf("answer %+v", got)
	}
	if text, _ := s.call("info", `{}`); !strings.Contains(text, `"status":"RUNNING"`) {
		t.Errorf("afterwards: %s", text)
	}
	other.do("cancel", `{"ref": "`+a.RunRef+`"}`, false)
}
