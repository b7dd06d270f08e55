package main

import (
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/blq-ci/blq/store"
)

// setting is a setting of the service. Its value comes from the first of three sources that is set: the flag, the
// environment variable, or a file. Another environment variable names the file.
type setting struct {
	name   string // name of the flag, without --
	about  string
	secret bool // the setting has no flag, because other users can read command lines
	add    func(f *pflag.FlagSet, c *Config, name, about string)
}

// placeSettings are the settings of the storage. Every command has them.
var placeSettings = []setting{
	{"data", "`DIR` of the database and the logs, where no other place is given for them",
		false, text(func(c *Config) *string { return &c.Data })},
	{"database-url", "PostgreSQL to keep runs in: `postgres://USER@HOST/NAME`; better in the environment, for its " +
		"password", false, text(func(c *Config) *string { return &c.Database })},
	{"blobs", "place of the logs: `URL` like file:///var/lib/blqd/logs or gs://bucket/prefix", false,
		text(func(c *Config) *string { return &c.Blobs })},
}

// serveSettings are the settings of serve.
var serveSettings = slices.Concat(ownSettings, limitSettings, statementSettings, quotaSettings)

// ownSettings are the settings of serve that are not limits.
var ownSettings = []setting{
	{"addr", "`ADDRESS` to listen on", false, text(func(c *Config) *string { return &c.Addr })},
	{"metrics-addr", "another `ADDRESS` for /metrics, /healthz and /readyz; without it /metrics needs a token with " +
		"scope admin", false, text(func(c *Config) *string { return &c.MetricsAddr })},
	{"public-url", "`URL` of the service for clients", false, text(func(c *Config) *string { return &c.PublicURL })},
	{"proxied", "requests come through a reverse proxy, which may be on this machine", false,
		truth(func(c *Config) *bool { return &c.Proxied })},
	{"trusted-proxies", "`NETWORKS` of reverse proxies whose X-Forwarded-For counts, with commas (default with " +
		"--proxied: private networks)", false, list(func(c *Config) *[]string { return &c.Proxies })},
	{"auth", "`MODE`: required; none, for a network where everybody may do everything; auto, which is none only on " +
		"loopback with SQLite and no public URL or proxy", false, text(func(c *Config) *string { return &c.Auth })},
	{"audience", "audience `NAME` that tokens of jobs must have (default: the public URL)",
		false, text(func(c *Config) *string { return &c.Audience })},
	{"issuers", "`URLS` of issuers of tokens of jobs, with commas; for GHES https://HOST/_services/token", false,
		list(func(c *Config) *[]string { return &c.Issuers })},
	{"github-api", "`URL` of GitHub's API; for GHES https://HOST/api/v3", false,
		text(func(c *Config) *string { return &c.GitHubAPI })},
	{"dispatch", "`FILE` of workflows that agents may start with the tool run",
		false, text(func(c *Config) *string { return &c.Dispatch })},
	{"dispatch-token", "GitHub token that starts them", true, text(func(c *Config) *string { return &c.DispatchKey })},
	{"pulls-token", "GitHub token that opens pull requests for the tool update_node, for tokens with scope graph:write; " +
		"without it the tool answers a patch", true, text(func(c *Config) *string { return &c.PullsKey })},
	{"webhook-secret", "secret of GitHub's webhooks; without it they are refused", true,
		text(func(c *Config) *string { return &c.Webhook })},
	{"contracts-url", "`URL` to which notifications of changed contracts are posted", false,
		text(func(c *Config) *string { return &c.ContractsURL })},
	{"contracts-secret", "secret that signs them", true, text(func(c *Config) *string { return &c.ContractsKey })},
	{"contracts-private", "the URL of --contracts-url may be http, of this machine or of a private network", false,
		truth(func(c *Config) *bool { return &c.ContractsIn })},
	{"webhook-secrets", "secrets of webhooks of single owners, with lines or commas between: OWNER=SECRET", true,
		text(func(c *Config) *string { return &c.OwnerHooks })},
	{"github-token",
		"GitHub token that sees new names of private repositories, so that webhooks can rename them, and pull " +
			"requests, so that realm_pr_status can say whether they can be merged",
		true, text(func(c *Config) *string { return &c.GitHubToken })},
	{"app-id", "`ID` of the service's GitHub App, see blqd app create; its jobs are then fetched without a workflow",
		false, number(func(c *Config) *int { return &c.AppID })},
	{"app-key", "private key of the GitHub App, PEM", true, text(func(c *Config) *string { return &c.AppKey })},
	{"app-client-id", "`ID` of the app's client, with which people sign in to the pages at /ui; of an OAuth app, too",
		false, text(func(c *Config) *string { return &c.Client })},
	{"app-client-secret", "its secret", true, text(func(c *Config) *string { return &c.ClientSecret })},
	{"public-pages", "pages of repositories that are public at GitHub are for everybody, without signing in", false,
		truth(func(c *Config) *bool { return &c.PublicPages })},
	{"checks", "`WHEN` the app's check run of a commit fails: never, errors, new-errors; off for no check runs", false,
		text(func(c *Config) *string { return &c.Checks })},
	{"notify-url", "URL that gets notifications about failures that are new on default branches", true,
		text(func(c *Config) *string { return &c.NotifyURL })},
	{"notify-secret", "secret that signs these notifications", true,
		text(func(c *Config) *string { return &c.NotifySecret })},
	{"slack-url", "incoming webhook of Slack that gets them", true,
		text(func(c *Config) *string { return &c.SlackURL })},
	{"notify-private", "the URLs of notifications may be http, of this machine or of a private network", false,
		truth(func(c *Config) *bool { return &c.NotifyIn })},
	{"workers", "`NUMBER` of deliveries and logs of jobs that are worked on at a time", false,
		number(func(c *Config) *int { return &c.Workers })},
	{"origins", "`ORIGINS` of web pages that may call /mcp, with commas", false,
		list(func(c *Config) *[]string { return &c.Origins })},
	{"docs-hosts",
		"`HOSTS` from which documentation may be fetched, with commas: docs.example.org, *.example.com, or * for " +
			"all that are public; without it none is fetched", false, list(func(c *Config) *[]string { return &c.DocsHosts })},
	{"disabled-tools", "`TOOLS` that agents do not get, with commas", false,
		list(func(c *Config) *[]string { return &c.Disabled })},
	{"compat", "serve the tools of another `PROGRAM` instead: lq",
		false, text(func(c *Config) *string { return &c.Compat })},
	{"migrate", "migrate the database at the start", false, truth(func(c *Config) *bool { return &c.Migrate })},
	{"orphan-after", "time without a heartbeat after which a run is orphaned",
		false, duration(func(c *Config) *time.Duration { return &c.OrphanAfter })},
	{"keep-days", "remove runs older than this many `DAYS`; 0 keeps all", false,
		number(func(c *Config) *int { return &c.KeepDays })},
	{"keep-runs", "keep the `N` newest runs of each source; 0 keeps all", false,
		number(func(c *Config) *int { return &c.KeepRuns })},
	{"keep-mb", "remove the oldest runs until logs take at most this many `MB`; 0 keeps all", false,
		number(func(c *Config) *int { return &c.KeepMB })},
	{"upkeep", "time between checks for orphaned runs",
		false, duration(func(c *Config) *time.Duration { return &c.Upkeep })},
	{"drain", "how long to go on serving while /readyz fails, before stopping",
		false, duration(func(c *Config) *time.Duration { return &c.Drain })},
	{"grace", "how long open requests may take when stopping", false,
		duration(func(c *Config) *time.Duration { return &c.Grace })},
	{"log-level", "`LEVEL`: debug, info, warn or error", false, text(func(c *Config) *string { return &c.LogLevel })},
}

var levels = map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn,
	"error": slog.LevelError}

// envName returns the environment variable of a setting.
func envName(name string) string {
	return "BLQ_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// flags adds the flags of settings.
func (c *Config) flags(f *pflag.FlagSet, settings []setting) {
	if c.Addr == "" {
		*c = defaults()
	}
	for _, s := range settings {
		if !s.secret {
			s.add(f, c, s.name, s.about+" ["+envName(s.name)+"]")
		}
	}
}

// fromEnvironment reads settings from environment variables, except settings whose flags are on the command line. The
// error is Invalid if a value is wrong, or if the file that a variable names cannot be read.
func (c *Config) fromEnvironment(flags *pflag.FlagSet, getenv func(string) string, settings []setting) error {
	for _, s := range settings {
		if flags.Changed(s.name) {
			continue
		}
		env := envName(s.name)
		value, from := getenv(env), env
		if file := getenv(env + "_FILE"); file != "" && value == "" {
			var err error
			if value, err = readFile(file); err != nil {
				return store.Next(store.Errorf(store.Invalid, "%s_FILE: %w", env, err), store.Shell{Line: "ls -l " + file})
			}
			from = env + "_FILE"
		}
		if value == "" {
			continue
		}
		own := pflag.NewFlagSet("", pflag.ContinueOnError)
		s.add(own, c, s.name, "")
		if err := own.Set(s.name, value); err != nil {
			if s.secret {
				value = "…"
			}
			return store.Next(store.Errorf(store.Invalid, "%s: %q is not a value of this setting: it is %s",
				from, redactURL(value), s.plain()), store.Shell{Line: "blqd serve -h"})
		}
	}
	return nil
}

// plain returns the description of a setting, without the backquotes that mark the name of a flag's value.
func (s setting) plain() string { return strings.ReplaceAll(s.about, "`", "") }
