package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/githubapp"
	"github.com/blq-ci/blq/store"
)

// creation describes how to create an app.
type creation struct {
	name, organization, dir, addr, code string
}

func newApp(a *app) *cobra.Command {
	return group("app", "Make the service's GitHub App", newAppCreate(a))
}

func newAppCreate(a *app) *cobra.Command {
	var how creation
	c := &cobra.Command{
		Use:   "create",
		Short: "Make a GitHub App for the service",
		Long: `Prints the address of a page that takes your browser to GitHub, where you confirm
the app. GitHub sends the browser back here with a code, which is good once, for
an hour. The app's credentials become files, which serve reads by variables with
_FILE after their names. They are not stored anywhere else.`,
		Example: `  blqd app create --public-url https://blq.example.com --org acme --dir /etc/blqd
  blqd app create --code 0a1b2c…   # where the browser could not come back: the code is in its address`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.config.fromEnvironment(c.Flags(), a.getenv, appSettings()); err != nil {
				return err
			}
			return a.createApp(c.Context(), how)
		},
	}
	f := c.Flags()
	f.StringVar(&how.name, "name", "", "`NAME` of the app, unique at GitHub")
	f.StringVar(&how.organization, "org", "", "`ORGANIZATION` that owns the app; without it you do")
	f.StringVar(&how.dir, "dir", ".", "`DIR` for the files of the credentials")
	f.StringVar(&how.addr, "addr", "127.0.0.1:0", "`ADDRESS` of the page, which your browser must reach")
	f.StringVar(&how.code, "code", "", "`CODE` with which GitHub sent the browser back")
	a.config.flags(f, appSettings())
	return c
}

// appSettings are the settings of serve that are needed to create a GitHub App.
func appSettings() []setting {
	var list []setting
	for _, s := range ownSettings {
		if s.name == "public-url" || s.name == "github-api" {
			list = append(list, s)
		}
	}
	return list
}

// appFiles holds the names of the files for the credentials of a GitHub App: the private key, the secret of the
// webhook, and the client secret for sign-in.
var appFiles = []string{"app.pem", "webhook-secret", "client-secret"}

// createApp creates a GitHub App and writes its credentials to files.
func (a *app) createApp(ctx context.Context, how creation) error {
	client, err := github.New(github.Config{API: a.config.GitHubAPI, Agent: "blqd"})
	if err != nil {
		return err
	}
	if how.code == "" {
		if how.code, err = a.askForCode(ctx, how, client.Host()); err != nil {
			return err
		}
	}
	made, err := client.ConvertManifest(ctx, how.code)
	if err != nil {
		return store.Hint(err, "a code is good once, for an hour: begin again with blqd app create")
	}
	in := func(name string) string { return filepath.Join(how.dir, name) }
	key, hook, signIn := in(appFiles[0]), in(appFiles[1]), in(appFiles[2])
	if err := errors.Join(writeSecret(key, made.Key), writeSecret(hook, made.Secret),
		writeSecret(signIn, made.ClientSecret)); err != nil {
		return store.Hint(err, "the app %s exists now: make a new private key and webhook secret at %s", made.Slug, made.URL)
	}
	fmt.Fprintf(a.stderr, "the app %s is made: install it at %s/installations/new, and start blqd serve with\n", made.Slug,
		made.URL)
	fmt.Fprintf(a.stdout, "BLQ_APP_ID=%d\nBLQ_APP_KEY_FILE=%s\nBLQ_WEBHOOK_SECRET_FILE=%s\n"+
		"BLQ_APP_CLIENT_ID=%s\nBLQ_APP_CLIENT_SECRET_FILE=%s\n", made.ID, key, hook, made.Client, signIn)
	return nil
}

// writeSecret writes a new file that only its owner can read.
func writeSecret(name, text string) error {
	name, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// codeTimeout is the max time that the operator may take on GitHub's pages.
const codeTimeout = time.Hour

// askForCode serves a page that sends the operator to GitHub. GitHub sends the operator back with a code, and
// askForCode returns the code.
func (a *app) askForCode(ctx context.Context, how creation, host string) (string, error) {
	if a.config.PublicURL == "" {
		return "", wrong("public-url", "GitHub needs to know where the service is",
			"blqd app create --public-url https://blq.example.com")
	}
	for _, name := range appFiles {
		if _, err := os.Stat(filepath.Join(how.dir, name)); !errors.Is(err, os.ErrNotExist) {
			return "", store.Hint(store.Errorf(store.Conflict, "%s is there already", filepath.Join(how.dir, name)),
				"remove it, or give another folder with --dir")
		}
	}
	l, err := net.Listen("tcp", how.addr)
	if err != nil {
		return "", err
	}
	state, address := rand.Text(), "http://"+l.Addr().String()
	manifest, err := githubapp.Manifest{Name: how.name, Service: a.config.PublicURL, Redirect: address + "/done"}.JSON()
	if err != nil {
		return "", errors.Join(err, l.Close())
	}
	codes := make(chan string, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = githubapp.WritePage(w, githubapp.NewURL(host, how.organization, state), manifest) // the browser may be gone
	})
	mux.HandleFunc("GET /done", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("state") != state || r.FormValue("code") == "" {
			http.Error(w, "this does not come from the page of blqd app create", http.StatusForbidden)
			return
		}
		select {
		case codes <- r.FormValue("code"):
		default: // the operator has loaded the page again
		}
		fmt.Fprintln(w, "The app is made. Go on in the terminal.")
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	fmt.Fprintf(a.stderr, "open %s in a browser\n", address)
	ctx, cancel := context.WithTimeout(ctx, codeTimeout)
	defer cancel()
	select {
	case code := <-codes:
		bounded, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		_ = server.Shutdown(bounded) // an error does not matter, because the code has already arrived
		return code, nil
	case err := <-ended:
		return "", err
	case <-ctx.Done():
		return "", errors.Join(store.Errorf(store.Unavailable, "no browser came back: %w", ctx.Err()), server.Close())
	}
}
