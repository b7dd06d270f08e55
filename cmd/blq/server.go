package main

import (
	"cmp"
	"context"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/ingest/client"
	"github.com/blq-ci/blq/internal/ci"
	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

// These are environment variables that configure the access to a server.
const (
	serverVariable = "BLQ_SERVER" // the server's URL
	tokenVariable  = "BLQ_TOKEN"  // credentials; they are never printed and are never a flag
	repoVariable   = "BLQ_REPO"   // repository, owner/name
	// audienceVariable is the audience of a job's OIDC token. The default is the URL of the server.
	audienceVariable = "BLQ_AUDIENCE"
)

// fromEnvironment is the value of --remote without a URL.
const fromEnvironment = "$" + serverVariable

// remoteFlag adds --remote.
func remoteFlag(c *cobra.Command, p *string, about string) {
	c.Flags().StringVar(p, "remote", "", about+" (`URL`, default: "+serverVariable+"; token: "+tokenVariable+")")
	c.Flags().Lookup("remote").NoOptDefVal = fromEnvironment
}

// urlWord matches words that can only be the value of --remote.
var urlWord = lazyregexp.New(`^(https?://|(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(/|$))`)

// joinRemote joins --remote and the next argument if that argument is a URL or a local address (see urlWord). So users
// may write a space before the value, although pflag accepts an optional value only after =.
func joinRemote(args []string) []string {
	for i := 0; i+1 < len(args) && args[i] != "--"; i++ {
		if args[i] == "--remote" && urlWord.MatchString(args[i+1]) {
			args = slices.Concat(args[:i], []string{"--remote=" + args[i+1]}, args[i+2:])
		}
	}
	return args
}

// serverURL returns the URL of the server, or "" for none.
func (a *app) serverURL(given string) (string, error) {
	if given == fromEnvironment {
		if given = a.getenv(serverVariable); given == "" {
			return "", usage{store.Next(store.Errorf(store.Invalid, "which server? --remote has no URL, and %s is not set",
				serverVariable), store.Shell{Line: "export " + serverVariable + "=https://blq.example.com"})}
		}
	}
	return given, nil
}

func (a *app) client(url string) (*client.Client, error) {
	return client.New(client.Config{
		URL: url, Version: version,
		Token: func(context.Context) (string, error) { return a.getenv(tokenVariable), nil },
	})
}

// sender returns a client that sends runs to a server. If BLQ_TOKEN is empty, a GitHub Actions job uses its OIDC token.
func (a *app) sender(url string) (*client.Client, error) {
	job := client.Job{URL: a.getenv("ACTIONS_ID_TOKEN_REQUEST_URL"), Token: a.getenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN"),
		Audience: a.getenv(audienceVariable)}
	if a.getenv(tokenVariable) != "" || job.URL == "" || job.Token == "" {
		return a.client(url)
	}
	c := client.Config{URL: url, Version: version}
	var err error
	if c.Token, err = client.JobToken(c, job); err != nil {
		return nil, err
	}
	return client.New(c)
}

// repo returns the name of the repository. If name is "", it takes a name from the
// environment, the CI system or git. It returns "" if the name is unknown.
func (a *app) repo(name string) string {
	if name = cmp.Or(name, a.getenv(repoVariable)); name != "" {
		return name
	}
	if ci := ci.CI(a.getenv, os.ReadFile); ci != nil && ci.Repo != "" {
		return ci.Repo
	}
	if cwd, err := os.Getwd(); err == nil {
		return ci.Remote(cwd)
	}
	return ""
}
