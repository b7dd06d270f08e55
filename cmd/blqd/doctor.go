package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/auth"
	"github.com/blq-ci/blq/internal/cmdline"
	"github.com/blq-ci/blq/store"
)

func newDoctor(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check the settings and everything they name",
		Long: `Checks the settings of blqd serve, the database, the place of the logs by writing
to it, and who signs the tokens of jobs. It says what is wrong and what to do.
Exit code 1: something is wrong.`,
		RunE: func(c *cobra.Command, _ []string) error {
			d := doctor{app: a}
			d.examine(c.Context(), c)
			if asJSON {
				if err := a.json(d.findings); err != nil {
					return err
				}
			} else {
				d.print()
			}
			if d.ill() {
				return errIll
			}
			return nil
		},
	}
	a.config.flags(c.Flags(), serveSettings)
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

// finding is the result of one check.
type finding struct {
	What  string `json:"what"`
	State string `json:"state"` // ok, warning or error
	Text  string `json:"text"`
	Hint  string `json:"hint,omitempty"`
}

type doctor struct {
	*app
	findings []finding
}

func (d *doctor) say(what, state, text, hint string) {
	d.findings = append(d.findings, finding{what, state, d.config.redact(text), d.config.redact(hint)})
}

// check records the result of a check: text if err is nil, or else err. It reports whether err is nil.
func (d *doctor) check(what, text string, err error) bool {
	if err != nil {
		text := err.Error()
		if said := cause(err).Error(); said != text {
			text += ": " + said
		}
		d.say(what, "error", text, cmdline.Of(store.NextOf(err)))
		return false
	}
	d.say(what, "ok", text, "")
	return true
}

func (d *doctor) ill() bool {
	for _, f := range d.findings {
		if f.State == "error" {
			return true
		}
	}
	return false
}

func (d *doctor) examine(ctx context.Context, c *cobra.Command) {
	if !d.check("settings", "they make sense",
		errors.Join(d.configure(c, append(placeSettings, serveSettings...)), d.config.check())) {
		return
	}
	for _, w := range d.config.warnings() {
		d.say("settings", "warning", w, "")
	}
	d.database(ctx)
	d.logs(ctx)
	d.address()
	d.identity(ctx)
	d.starting(ctx)
	d.keeping()
	d.quotas(ctx)
}

// checkTimeout is the max time of a check.
const checkTimeout = 20 * time.Second

// slowDatabase is the max time in which a database should answer. A slower answer leads to a warning. Tests change this
// time, because their machine may be busy.
var slowDatabase = 200 * time.Millisecond

func (d *doctor) database(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	s, err := d.openStore(ctx)
	if err != nil {
		d.check("database", "", err)
		return
	}
	defer s.Close()
	began := time.Now()
	if !d.check("database", d.config.databaseName(), (&places{store: s}).storeReady(ctx)) {
		return
	}
	took := time.Since(began)
	if took > slowDatabase {
		d.say("database", "warning", fmt.Sprintf("it took %v to answer", took.Round(time.Millisecond)),
			"keep the service and its database close to each other")
	}
	d.durable(ctx, s)
	d.directory(ctx, s)
}

// durable warns if the database may lose committed transactions in a crash. With such a database, the service may
// lose runs that it has acknowledged.
func (d *doctor) durable(ctx context.Context, s engine) {
	v, ok := s.(interface {
		Volatile(context.Context) ([]string, error)
	})
	if !ok {
		return
	}
	off, err := v.Volatile(ctx)
	if err != nil {
		d.check("database", "", err)
		return
	}
	for _, name := range off {
		d.say("database", "warning", name+" is off: a crash of its machine may lose acknowledged runs",
			"ALTER SYSTEM SET "+name+" = on; and check that neither its role nor a pooler sets it")
	}
}

// directory reports the numbers of valid tokens and of enrolled repositories. It warns if both are 0 and the service
// requires authentication. It also warns about tokens that end within a week.
func (d *doctor) directory(ctx context.Context, s store.Directory) {
	tokens, err := s.Tokens(ctx)
	if err != nil {
		d.check("tokens", "", err)
		return
	}
	good, ending := 0, []string{}
	for _, t := range tokens {
		if t.Ended(time.Now()) == "" {
			good++
			if !t.ExpiresAt.IsZero() && time.Until(t.ExpiresAt) < 7*24*time.Hour {
				ending = append(ending, t.ID+" ("+t.Name+")")
			}
		}
	}
	repos, err := s.EnrolledRepos(ctx)
	if err != nil {
		d.check("repositories", "", err)
		return
	}
	text := fmt.Sprintf("valid tokens: %d, enrolled repositories: %d", good, len(repos))
	if good+len(repos) == 0 && !d.config.open() {
		d.say("tokens", "warning", text+": nobody can send runs or ask questions",
			"blqd token create --name ci --scope ingest --repo acme/shop   # or blqd repo enrol acme/shop")
		return
	}
	d.say("tokens", "ok", text, "")
	if len(ending) > 0 {
		d.say("tokens", "warning", "these end within a week: "+strings.Join(ending, ", "), "blqd token create --help")
	}
}

func (d *doctor) logs(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	b, err := d.openBlobs(ctx)
	if err == nil {
		defer b.Close()
		err = b.CheckWrite(ctx)
	}
	d.check("logs", redactURL(d.config.blobsURL()), err)
}

// address checks that the service can listen on its address. If it cannot, address only warns, because the running
// service itself may use the address.
func (d *doctor) address() {
	l, err := listen(d.config.Addr)
	if err != nil {
		d.say("address", "warning", err.Error()+"; if that is blqd itself, all is well", "")
		return
	}
	d.check("address", d.config.Addr, l.Close())
}

// identity checks how callers authenticate.
func (d *doctor) identity(ctx context.Context) {
	if d.config.open() {
		d.say("callers", "ok", "everybody on this machine, without a token", "")
		return
	}
	if _, err := newAuthenticator(&d.config, nothing{}, nil); err != nil {
		d.check("callers", "", err)
		return
	}
	d.say("callers", "ok", "they show a token", "")
	if d.config.Audience != "" || d.config.PublicURL != "" {
		for _, text := range d.config.Issuers {
			issuer, err := auth.ParseIssuer(text)
			if err == nil {
				err = reach(ctx, strings.TrimRight(issuer.URL, "/")+"/.well-known/openid-configuration")
			}
			d.check("issuer", text, err)
		}
	}
	if d.config.GitHubAPI != "" {
		if err := reach(ctx, d.config.GitHubAPI); err != nil {
			d.say("github", "warning", "people cannot show GitHub tokens: "+err.Error(), cmdline.Of(store.NextOf(err)))
		} else {
			d.say("github", "ok", d.config.GitHubAPI, "")
		}
	}
}

// nothing is an auth.Directory for checks that do not use it.
type nothing struct{ auth.Directory }

// reach returns an error if a URL does not answer, or answers with an error other than 403 and 429.
func reach(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout/2)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return store.Errorf(store.Invalid, "%q is not an address", redactURL(url))
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return store.Next(store.Errorf(store.Unavailable, "it cannot be reached: %w", err),
			store.Shell{Line: "curl -v " + redactURL(url), Why: "is there a proxy (HTTPS_PROXY), or a firewall?"})
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 && resp.StatusCode != http.StatusForbidden && resp.StatusCode != http.StatusTooManyRequests {
		return store.Next(store.Errorf(store.Unavailable, "%s answers %s", redactURL(url), resp.Status),
			store.Shell{Line: "curl -v " + redactURL(url)})
	}
	return nil
}

func (d *doctor) keeping() {
	if (d.config.policy(time.Now()) == store.Policy{}) {
		d.say("retention", "warning", "nothing is ever removed",
			"set "+envName("keep-days")+", or run blqd prune now and then")
		return
	}
	d.say("retention", "ok", fmt.Sprintf("days %d, runs of each source %d, MB of logs %d; 0 is no limit",
		d.config.KeepDays, d.config.KeepRuns, d.config.KeepMB), "")
}

// nearQuota is the used fraction of a quota at which the doctor begins to warn.
const nearQuota = 0.9

// quotas warns if repositories or owners have nearly used up a quota, or if there are no quotas.
func (d *doctor) quotas(ctx context.Context) {
	quotas, err := d.config.Quotas.store()
	if err != nil || quotas.None() {
		d.say("quotas", "warning", "nothing limits what a repository stores", "set "+envName("quota-repo-mb"))
		return
	}
	s, err := d.openStore(ctx)
	if err != nil {
		return // another check has already reported the error
	}
	defer s.Close()
	all, err := s.Usages(ctx)
	if err != nil {
		return
	}
	var near []string
	for _, u := range all {
		if bytes, runs, events := quotas.Of(u).Shares(u); max(bytes, runs, events) >= nearQuota {
			near = append(near, u.Name())
		}
	}
	if len(near) > 0 {
		d.say("quotas", "warning", fmt.Sprintf("%d repositories and owners have used up 90 %% of one, such as %s", len(near),
			near[0]), "blqd usage")
		return
	}
	d.say("quotas", "ok", "nobody has used up 90 % of one", "")
}

func (d *doctor) print() {
	marks := map[string]string{"ok": "ok  ", "warning": "WARN", "error": "FAIL"}
	for _, f := range d.findings {
		fmt.Fprintf(d.stdout, "%s  %-12s %s\n", marks[f.State], f.What, f.Text)
		if f.Hint != "" {
			fmt.Fprintf(d.stdout, "      %-12s try: %s\n", "", f.Hint)
		}
	}
}
