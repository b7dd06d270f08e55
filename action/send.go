package action

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/blq-ci/blq/ingest/client"
	"github.com/blq-ci/blq/internal/glob"
	"github.com/blq-ci/blq/internal/project"
	"github.com/blq-ci/blq/internal/record"
	"github.com/blq-ci/blq/store"
)

// sending sends a run to the server while the run goes on.
type sending struct {
	*wrapped
	to  *client.Client  // client of the server, nil if there is no server
	now *client.Sending // running transmission of the run, nil before the run begins
}

// Client returns a client of the server. It returns nil if there is no server, or if the job has neither OIDC nor a
// token. The client prefers OIDC, and requests an OIDC token only when it needs one.
func (j *Job) Client(server, token string) (*client.Client, error) {
	c := client.Config{URL: server, Version: j.Version}
	job := client.Job{URL: j.Getenv("ACTIONS_ID_TOKEN_REQUEST_URL"), Token: j.Getenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN"),
		Audience: j.Getenv(audienceVariable)}
	switch {
	case server == "":
		return nil, nil
	case job.URL != "" && job.Token != "":
		var err error
		if c.Token, err = client.JobToken(c, job); err != nil {
			return nil, err
		}
	case token != "":
		c.Token = func(context.Context) (string, error) { return token, nil }
	default:
		return nil, nil
	}
	return client.New(c)
}

func (s *wrapped) sender() *sending {
	x := &sending{wrapped: s}
	if s.in.Upload == "never" {
		return x
	}
	to, err := s.Client(s.in.Server, s.in.Token)
	if err != nil {
		s.wrong = append(s.wrong, "input server: "+err.Error())
		return x
	}
	x.to = to
	if to == nil && s.in.Server != "" {
		s.Say("not sent to %s: the job has neither permissions: id-token: write nor the input token; what was recorded "+
			"is in %s", s.in.Server, s.state.artifacts())
	}
	return x
}

// follow sends a run from its beginning, while the command is still running.
func (x *sending) follow(r store.Run) {
	if r.Serial == 0 {
		return
	}
	if x.to == nil {
		if x.in.Upload == "always" || x.in.Upload == "on-failure" {
			x.keepArtifact(x.quit.ctx, r) // if this process is killed, a report knows that the run began
		}
		return
	}
	x.noteUnsent(r)
	if x.in.Upload == "always" {
		x.begin(r)
	}
}

func (x *sending) begin(r store.Run) {
	p := client.Pusher{Client: x.to, Source: x.w.Store, Blobs: x.w.Blobs, Parallel: 2, Hide: x.hider()}
	x.now = p.Begin(r.Attempt)
}

// finish completes the upload of a run, and returns which data the server has. It does not use all of the time that
// ctx has left, because other requests follow. A later step or the post step sends missing data. Without a server,
// finish keeps the run as an artifact if an upload is wanted.
func (x *sending) finish(ctx context.Context, r store.Run) client.Pushed {
	wanted := x.in.Upload == "always" || x.in.Upload == "on-failure" && r.Status() != store.StatusOK
	switch {
	case x.to == nil && wanted:
		x.keepArtifact(x.quit.ctx, r)
		return client.Pushed{}
	case x.to == nil:
		x.dropArtifact(r)
		return client.Pushed{}
	case !wanted:
		x.settled(r.Attempt)
		return client.Pushed{}
	case x.now == nil:
		x.begin(r)
	}
	bounded, cancel := context.WithTimeout(ctx, x.patience())
	defer cancel()
	sent, err := x.now.Finish(bounded)
	if !sent.Complete {
		x.missed(r, err)
		return sent
	}
	if sent.Refused != nil {
		x.lost = append(x.lost, "the server has only a part of it: "+sent.Refused.Error())
	}
	x.settled(r.Attempt)
	x.reached()
	x.sendOthers(ctx)
	// If NotePushed fails, blq push only asks the server once more whether the server has the run.
	_ = x.w.NotePushed(x.to.URL(), project.Pushed{Attempt: r.Attempt, Ref: sent.Ref, At: time.Now().UTC()})
	return sent
}

// missed warns that a run was not sent. If no later step can send the run, missed keeps it as an artifact.
func (x *sending) missed(r store.Run, err error) {
	if err != nil && !client.Passing(err) && store.CodeOf(err) != store.Unavailable {
		x.settled(r.Attempt)
		x.keepArtifact(context.Background(), r)
		x.lost = append(x.lost, "not sent: "+err.Error()+"; it is in "+x.state.path("artifacts", r.Attempt))
		return
	}
	x.unreached()
	why := "it took too long"
	if err != nil {
		why = err.Error()
	}
	x.lost = append(x.lost, "not sent yet: "+why+"; a later step tries again")
}

// dropArtifact removes the artifact of a run.
func (x *sending) dropArtifact(r store.Run) {
	unlock, err := x.state.lockArtifact(context.Background(), r.Attempt)
	if err == nil {
		defer unlock()
		err = os.RemoveAll(filepath.Join(x.state.artifacts(), r.Attempt))
	}
	if err != nil {
		x.lost = append(x.lost, "the artifact is left: "+err.Error())
	}
}

// keepArtifact writes the artifact of a run. It replaces an artifact that was written before the run had ended.
func (x *sending) keepArtifact(ctx context.Context, r store.Run) {
	unlock, err := x.state.lockArtifact(ctx, r.Attempt)
	if err == nil {
		defer unlock()
		_ = os.Remove(x.state.path("hidden", r.Attempt)) // without this file, the artifact is written
		err = x.writeArtifact(ctx, r)
	}
	if err != nil {
		x.lost = append(x.lost, "no artifacts: "+err.Error())
	}
}

// unsent describes a run that still has to be sent.
type unsent struct {
	Attempt string `json:"attempt_id"`
	Server  string `json:"server"`
	Failed  bool   `json:"only_failed,omitempty"` // send the run only if it failed
	Again   bool   `json:"again,omitempty"`       // the server may have parts of the run with secrets
}

func (s jobFolder) owedFile(attempt string) string { return s.path("owed", attempt+".json") }

// noteUnsent records that a run has to be sent. If this process is killed, a later step sends the run.
func (x *sending) noteUnsent(r store.Run) {
	text, err := json.Marshal(unsent{Attempt: r.Attempt, Server: x.in.Server, Failed: x.in.Upload == "on-failure"})
	if err != nil {
		return
	}
	file := x.state.owedFile(r.Attempt)
	if err = os.MkdirAll(filepath.Dir(file), 0o755); err == nil {
		_ = replace(file, text) // if this fails, only this step can send the run
	}
}

// sendAgain records that a run has to be sent again, because secrets were removed from it. It does nothing if no part
// of the run was sent.
func (s *wrapped) sendAgain(r store.Run) {
	run := unsent{Attempt: r.Attempt, Server: s.in.Server}
	file := s.state.owedFile(r.Attempt)
	if text, err := os.ReadFile(file); err == nil {
		if json.Unmarshal(text, &run) != nil {
			return
		}
	} else if sent, err := s.w.Pushed(s.in.Server); err != nil || sent[r.Attempt].Attempt == "" {
		return
	}
	run.Again, s.again = true, true
	text, err := json.Marshal(run)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o755)
	}
	if err == nil {
		err = replace(file, text)
	}
	if err != nil {
		s.lost = append(s.lost, "secrets of "+r.Ref().String()+" are left on the server: "+err.Error())
	}
}

func (x *sending) settled(attempt string) { os.Remove(x.state.owedFile(attempt)) }

const (
	// impatience is the max time to wait for a server that did not answer an earlier step in time. It is also the max
	// time for sending the runs of earlier steps.
	impatience = 2 * time.Second
	// closing is the max part of the input wait that is reserved for the other work at the end of the step.
	closing = 500 * time.Millisecond
)

func (x *sending) patience() time.Duration {
	longest := x.in.Wait - min(x.in.Wait/10, closing)
	if text, err := os.ReadFile(x.state.path("unreachable")); err == nil &&
		strings.TrimSpace(string(text)) == x.in.Server {
		return min(longest, impatience)
	}
	return longest
}

func (x *sending) unreached() {
	if !x.quit.cancelled() {
		// If this fails, the next step waits as long as this step.
		_ = os.WriteFile(x.state.path("unreachable"), []byte(x.in.Server), 0o644)
	}
}

func (x *sending) reached() { os.Remove(x.state.path("unreachable")) }

// sendOthers tries to send the runs that earlier steps could not send. It takes at most the time impatience.
func (x *sending) sendOthers(ctx context.Context) {
	files := glob.In(x.state.path("owed"), "*.json")
	ctx, cancel := context.WithTimeout(ctx, impatience)
	defer cancel()
	for _, file := range files {
		x.sendUnsent(ctx, file)
	}
}

// recover handles the runs of earlier steps that could not be recorded when they began. It keeps them as artifacts, or
// records that they have to be sent.
func (x *sending) recover(ctx context.Context) {
	for _, r := range x.recovered {
		switch wanted := x.in.Upload == "always" || x.in.Upload == "on-failure" && r.Status() != store.StatusOK; {
		case wanted && x.to != nil:
			x.noteUnsent(r)
		case wanted:
			x.keepArtifact(ctx, r)
		}
	}
}

// Post sends the runs that earlier steps could not send, within the time of the input wait. It is the last try to send
// them.
func (j *Job) Post(in Inputs, wrong []string) {
	q := listen()
	defer q.stop()
	j.Warn(wrong)
	state, err := j.folder()
	if err != nil {
		return
	}
	files := glob.In(state.path("owed"), "*.json")
	if _, err := os.Stat(state.cleanFile()); err != nil && len(files) == 0 && !project.HasMissed(state.store()) {
		return // no run is stored
	}
	w, err := project.Open(q.ctx, state.store())
	if err != nil {
		j.warn("%s cannot be sent: %v", count(len(files), "run"), err)
		return
	}
	defer w.Store.Close()
	ctx, cancel := context.WithTimeout(q.ctx, in.Wait)
	defer cancel()
	j.Redactor = j.remember(state, in, j.maskKey(false))
	s := &wrapped{Job: j, in: in, state: state, w: w, quit: q}
	// If one of the next two calls fails, Post sends what is stored.
	_ = record.RecordMissed(q.ctx, w, func(r store.Run) { s.recovered = append(s.recovered, r) })
	_ = record.Salvage(q.ctx, w)
	if len(s.recovered) > 0 {
		s.sender().recover(q.ctx)
		files = glob.In(state.path("owed"), "*.json")
	}
	s.sendAll(ctx, files)
	if s.rehideStore(q.ctx, store.Run{}, in.Wait) {
		s.writePages(q.ctx)
	}
	if s.again {
		s.sendAll(ctx, glob.In(state.path("owed"), "*.json"))
	}
	s.complain()
}

// sendAll tries for the last time to send the runs that the files describe.
func (s *wrapped) sendAll(ctx context.Context, files []string) {
	for _, file := range files {
		s.sendUnsent(ctx, file)
		os.Remove(file)
	}
}

// sendUnsent sends the run that a file of the folder owed describes. It removes the file if no other try is needed or
// useful.
func (s *wrapped) sendUnsent(ctx context.Context, file string) {
	var run unsent
	text, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(text, &run) != nil {
		return // another step has sent the run and removed the file
	}
	r, err := s.w.Store.Run(ctx, store.Everything(), store.Ref{Attempt: run.Attempt})
	if err != nil || run.Failed && r.Status() == store.StatusOK {
		os.Remove(file)
		return
	}
	if r.State == store.StateRunning {
		return // the step of the run is still running, and sends the run itself
	}
	to, err := s.Client(cmp.Or(s.in.Server, run.Server), s.in.Token)
	if to == nil || err != nil {
		s.lost = append(s.lost, r.Ref().String()+" is not sent: there is nothing to prove the job with")
		return
	}
	p := client.Pusher{Client: to, Source: s.w.Store, Blobs: s.w.Blobs, Hide: s.hider(), Again: run.Again}
	sent, err := p.Push(ctx, run.Attempt)
	switch {
	case err != nil && sent.Complete:
		if !client.Passing(err) {
			os.Remove(file)
		}
		s.lost = append(s.lost, "secrets of "+r.Ref().String()+" are left on the server: "+err.Error())
	case err != nil:
		if !client.Passing(err) {
			os.Remove(file)
		}
		x := &sending{wrapped: s}
		x.keepArtifact(context.Background(), r)
		s.lost = append(s.lost, r.Ref().String()+" is not sent: "+err.Error()+"; it is in "+
			s.state.path("artifacts", r.Attempt))
	case sent.Complete:
		os.Remove(file)
		_ = s.w.NotePushed(to.URL(), project.Pushed{Attempt: r.Attempt, Ref: sent.Ref, At: time.Now().UTC()})
		s.Say("sent %s as %s %s", r.Ref(), sent.Ref, sent.URL)
		if sent.Refused != nil {
			s.lost = append(s.lost, "the server has only a part of "+r.Ref().String()+": "+sent.Refused.Error())
		}
	}
}
