package main

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/blq-ci/blq/store"
	"github.com/blq-ci/blq/store/blob/open"
)

// Config holds the settings of the service, from flags and the environment. The zero value of a setting means "not
// set". complete sets Data to its default if a folder is needed.
type Config struct {
	Data     string // folder for the data
	Database string // URL of PostgreSQL; "" for SQLite in Data
	Blobs    string // URL of the object storage; "" for files in Data

	Addr         string   // address to listen on
	MetricsAddr  string   // address of /metrics alone; "" serves /metrics at Addr
	PublicURL    string   // URL of the service for its clients
	Proxied      bool     // whether requests come through a reverse proxy, which may be on this machine
	Proxies      []string // networks of reverse proxies
	Auth         string   // authAuto, authRequired or authNone
	Audience     string   // audience of tokens of jobs
	Issuers      []string
	GitHubAPI    string
	Dispatch     string   // file with the commands that callers may start
	DispatchKey  string   // GitHub token that starts the workflows of these commands
	PullsKey     string   // GitHub token that opens pull requests
	Webhook      string   // secret of GitHub's webhooks
	OwnerHooks   string   // secrets of webhooks for single owners, OWNER=SECRET
	GitHubToken  string   // GitHub token for looking up renamed repositories
	AppID        int      // ID of the GitHub App, 0 for none
	AppKey       string   // private key of the GitHub App, PEM
	Client       string   // client ID of the app for sign-in, "" for none
	ClientSecret string   // client secret of the app for sign-in
	PublicPages  bool     // whether everybody may see the pages of public repositories
	Checks       string   // when the check run of a commit fails (see deliveries.Checks)
	NotifyURL    string   // URL for notifications about new failures on default branches
	NotifySecret string   // secret that signs the notifications about new failures
	SlackURL     string   // URL of Slack for notifications about new failures
	NotifyIn     bool     // whether both URLs may have private addresses
	Workers      int      // max jobs of the queue that run at the same time
	ContractsURL string   // URL for notifications about contracts
	ContractsKey string   // secret that signs the notifications about contracts
	ContractsIn  bool     // whether ContractsURL may have a private address
	Origins      []string // origins of web pages that may call the service
	DocsHosts    []string // hosts from which documentation may be fetched
	Disabled     []string // names of tools that are not offered
	Compat       string

	Migrate     bool // whether to migrate the database at the start
	OrphanAfter time.Duration
	KeepDays    int
	KeepRuns    int // number of newest runs of each source that are kept
	KeepMB      int
	Upkeep      time.Duration // interval between rounds of maintenance
	Drain       time.Duration // how long to serve after reporting not ready, before the stop
	Grace       time.Duration // max time for requests that still run after Drain
	LogLevel    string
	Limits      limits
	Statements  statements
	Quotas      quotas
}

// These are the modes of authentication.
const (
	authAuto     = "auto"     // required, except if nothing is configured and only this machine can connect
	authRequired = "required" // all callers must authenticate
	authNone     = "none"     // nobody authenticates: every caller has the rights of the operator
)

// defaults returns the settings of a service without configuration.
func defaults() Config {
	return Config{
		Addr: "127.0.0.1:8080", Auth: authAuto, GitHubAPI: "https://api.github.com",
		Issuers: []string{"https://token.actions.githubusercontent.com"},
		Workers: 8, Checks: "never",
		Migrate: true, OrphanAfter: 5 * time.Minute, Upkeep: 15 * time.Second, Grace: 30 * time.Second, LogLevel: "info",
		Limits: defaultLimits(), Statements: defaultStatements(), Quotas: defaultQuotas(),
	}
}

// complete sets the data folder and checks the storage settings. If a setting is wrong, the error is Invalid and names
// the setting.
func (c *Config) complete(getenv func(string) string) error {
	if c.Data == "" && (c.Database == "" || c.Blobs == "") {
		dir := getenv("XDG_DATA_HOME")
		if dir == "" {
			home := getenv("HOME")
			if home == "" {
				return store.Next(store.Errorf(store.Invalid, "there is no home folder to keep data in"),
					store.Shell{Line: "blqd serve --data /var/lib/blqd"})
			}
			dir = filepath.Join(home, ".local", "share")
		}
		c.Data = filepath.Join(dir, "blqd")
	}
	if c.Data != "" {
		dir, err := filepath.Abs(c.Data)
		if err != nil {
			return fmt.Errorf("--data: %w", err)
		}
		c.Data = dir
	}
	return c.checkPlaces()
}

func (c *Config) checkPlaces() error {
	if kind, _, _ := strings.Cut(c.Database, "://"); c.Database != "" && kind != "postgres" && kind != "postgresql" {
		return wrong("database-url", "it must begin with postgres://", "BLQ_DATABASE_URL=postgres://blq@db.example.com/blq")
	}
	if c.Database != "" {
		if _, err := url.Parse(c.Database); err != nil { // the error of url.Parse contains the password
			return wrong("database-url", "it is no URL: characters such as / # ? @ in a password are written as %2F %23 %3F %40",
				"BLQ_DATABASE_URL=postgres://blq@db.example.com/blq")
		}
	}
	if c.Blobs != "" && open.Check(c.Blobs) != nil {
		return wrong("blobs", "it must be like file:///var/lib/blqd/logs or gs://bucket/prefix",
			"BLQ_BLOBS=gs://my-bucket/blq")
	}
	return nil
}

// check checks the settings of serve.
func (c *Config) check() error {
	for name, addr := range map[string]string{"addr": c.Addr, "metrics-addr": c.MetricsAddr} {
		if addr == "" && name == "metrics-addr" {
			continue
		}
		if _, port, err := net.SplitHostPort(addr); err != nil || port == "" {
			return wrong(name, fmt.Sprintf("%q is not an address with a port", addr),
				"blqd serve --"+name+" 127.0.0.1:8080")
		}
	}
	for name, text := range map[string]string{"public-url": c.PublicURL, "github-api": c.GitHubAPI} {
		if text != "" && !isHTTP(text) {
			return wrong(name, fmt.Sprintf("%q is no URL of http or https", redactURL(text)),
				"blqd serve --"+name+" https://blq.example.com")
		}
	}
	for _, issuer := range c.Issuers {
		if !isHTTP(issuer) {
			return wrong("issuers", fmt.Sprintf("%q is no URL of http or https", issuer),
				"blqd serve --issuers https://token.actions.githubusercontent.com")
		}
	}
	for _, o := range c.Origins {
		if !isHTTP(o) || strings.Count(o, "/") != 2 {
			return wrong("origins", fmt.Sprintf("%q is not an origin", o),
				"blqd serve --origins https://ci.example.com")
		}
	}
	if c.Dispatch != "" && c.DispatchKey == "" {
		return store.Next(wrong("dispatch", "starting workflows needs a GitHub token in "+envName("dispatch-token"), ""),
			store.Shell{Line: "export BLQ_DISPATCH_TOKEN_FILE=/run/secrets/github",
				Why: "may write actions of these repositories"})
	}
	if c.Dispatch != "" && c.GitHubAPI == "" {
		return wrong("dispatch", "starting workflows needs GitHub's API, and it is turned off",
			"blqd serve --github-api https://api.github.com")
	}
	if err := c.checkSignIn(); err != nil {
		return err
	}
	if err := c.checkApp(); err != nil {
		return err
	}
	if c.PullsKey != "" && c.GitHubAPI == "" {
		return wrong("pulls-token", "opening pull requests needs GitHub's API, and it is turned off",
			"blqd serve --github-api https://api.github.com")
	}
	if !slices.Contains([]string{authAuto, authRequired, authNone}, c.Auth) {
		return wrong("auth", fmt.Sprintf("it must be auto, required or none, not %q", c.Auth), "blqd serve --auth required")
	}
	if c.Compat != "" && c.Compat != "lq" {
		return wrong("compat", fmt.Sprintf("it must be lq, not %q", c.Compat), "blqd serve --compat lq")
	}
	if _, ok := levels[c.LogLevel]; !ok {
		return wrong("log-level", fmt.Sprintf("it must be debug, info, warn or error, not %q", c.LogLevel),
			"blqd serve --log-level info")
	}
	return c.checkTimes()
}

func (c *Config) checkTimes() error {
	for name, d := range map[string]struct{ value, least time.Duration }{
		"orphan-after": {c.OrphanAfter, 30 * time.Second}, "upkeep": {c.Upkeep, time.Second},
		"drain": {c.Drain, 0}, "grace": {c.Grace, 0},
	} {
		if d.value < d.least {
			return wrong(name, fmt.Sprintf("it must be at least %v, not %v", d.least, d.value), "blqd serve -h")
		}
	}
	for name, n := range map[string]int{"keep-days": c.KeepDays, "keep-runs": c.KeepRuns, "keep-mb": c.KeepMB} {
		if n < 0 {
			return wrong(name, fmt.Sprintf("it must not be negative, and is %d", n), "blqd serve -h")
		}
	}
	if err := c.Limits.check(c.Statements); err != nil {
		return err
	}
	return c.Quotas.check()
}

// wrong returns the error for a setting with a wrong value.
func wrong(name, why, example string) error {
	return store.Next(store.Errorf(store.Invalid, "--%s (%s): %s", name, envName(name), why), store.Shell{Line: example})
}

func isHTTP(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// open reports whether callers need no credentials. If they need none, every caller has the rights of the operator.
func (c *Config) open() bool {
	return c.Auth == authNone || c.Auth == authAuto && c.Database == "" && c.PublicURL == "" && !c.Proxied &&
		onLoopback(c.Addr)
}

// onLoopback reports whether only this machine can reach an address.
func onLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// policy returns the retention policy. The zero policy keeps everything.
func (c *Config) policy(now time.Time) store.Policy {
	p := store.Policy{KeepPerSource: c.KeepRuns, MaxBytes: int64(c.KeepMB) << 20}
	if c.KeepDays > 0 {
		p.Before = now.AddDate(0, 0, -c.KeepDays)
	}
	return p
}

// readFile reads the value of a setting from a file. It removes line ends at the end of the value.
func readFile(name string) (string, error) {
	text, err := os.ReadFile(name)
	return strings.TrimRight(string(text), "\r\n"), err
}
