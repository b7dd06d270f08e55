package auth

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/blq-ci/blq/ingest/api"
	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/store"
)

// Exchange serves POST /v1/token. A CI job sends its OIDC token and gets a token of blqd, with which it may send runs
// for a limited time. An OIDC token is accepted only once, so a copy in a log or proxy is useless. One exchange is
// enough for all requests of an upload.
func (a *Authenticator) Exchange(w http.ResponseWriter, r *http.Request) error {
	answer, err := a.uploadToken(r)
	if err != nil {
		return a.refusal(w.Header(), r, "POST "+PathToken, err)
	}
	httpserver.SetCaller(r.Context(), "job:"+answer.Repo, "")
	w.Header().Set("Cache-Control", "no-store")
	httpserver.WriteJSON(w, http.StatusOK, answer)
	return nil
}

func (a *Authenticator) uploadToken(r *http.Request) (api.UploadToken, error) {
	ctx := r.Context()
	token, err := bearer(r)
	switch {
	case err != nil:
		return api.UploadToken{}, err
	case len(a.issuers) == 0:
		return api.UploadToken{}, store.Errorf(store.Unauthorized, "this service takes no OIDC tokens")
	case !isJWT(token):
		return api.UploadToken{}, badOIDC("the header Authorization: Bearer holds none")
	}
	c, issuer, err := a.verify(ctx, token)
	if err != nil {
		return api.UploadToken{}, err
	}
	f, ok := c.facts(issuer.Host)
	if !ok {
		return api.UploadToken{}, badOIDC("it names no repository_id or run_id")
	}
	repo, err := a.Directory.EnrolledRepo(ctx, f.Host, f.RepoID)
	if err != nil {
		return api.UploadToken{}, a.enrolment(err, f)
	}
	f.Repo = repo.Name // the name may have changed, because the enrolment is by ID
	if err := a.once(ctx, c); err != nil {
		return api.UploadToken{}, err
	}
	return a.give(ctx, f)
}

// enrolment returns the error for a job if the lookup of its repository has failed with err. If the repository is not
// enrolled, the error says this, and says how to enrol the repository.
func (a *Authenticator) enrolment(err error, f Facts) error {
	if store.CodeOf(err) != store.NotFound {
		return fmt.Errorf("look up repository: %w", err)
	}
	err = store.Errorf(store.Forbidden, "repository %s (ID %d of %s) is not enrolled", f.Repo, f.RepoID, f.Host)
	other := ""
	if f.Host != store.DefaultHost {
		other = " --host " + f.Host
	}
	return store.Hint(err, "the service's operator enrols it with: blqd repo enrol %s --id %d%s", f.Repo, f.RepoID, other)
}

// once returns an error if a token has been used before.
func (a *Authenticator) once(ctx context.Context, c claims) error {
	err := a.Directory.UseOnce(ctx, "jti:"+c.Issuer+":"+c.ID, c.Expiry.Time().Add(2*skew))
	if store.CodeOf(err) == store.Conflict {
		return badOIDC("it was used before")
	}
	if err != nil {
		return fmt.Errorf("note the use of a token: %w", err)
	}
	a.sweep(ctx)
	return nil
}

// sweep occasionally deletes the IDs of used tokens, and expired sign-ins.
func (a *Authenticator) sweep(ctx context.Context) {
	now := a.Now()
	if last := a.swept.Load(); now.Unix()-last > 600 && a.swept.CompareAndSwap(last, now.Unix()) {
		if _, err := a.Directory.ForgetUsed(ctx, now); err != nil {
			a.Log.WarnContext(ctx, "cannot forget used tokens", "error", err)
		}
	}
}

// give creates a token for a job. With this token, the job may send its runs, and ask questions about its repository.
func (a *Authenticator) give(ctx context.Context, f Facts) (api.UploadToken, error) {
	job, err := json.Marshal(f)
	if err != nil {
		return api.UploadToken{}, err
	}
	now := a.Now().Truncate(time.Second)
	secret, t, err := NewToken(store.Token{
		Name: "job " + f.RunID, Scopes: []store.TokenScope{store.ScopeIngest, store.ScopeRead}, Repos: []string{f.Repo},
		Job: string(job), CreatedAt: now, ExpiresAt: now.Add(a.UploadFor),
	})
	if err == nil {
		err = a.Directory.CreateToken(ctx, t)
	}
	if err != nil {
		return api.UploadToken{}, fmt.Errorf("give a token: %w", err)
	}
	a.Log.InfoContext(ctx, "token given", "repo", f.Repo, "run_id", f.RunID, "token", t.ID)
	return api.UploadToken{Token: secret, ExpiresAt: t.ExpiresAt, Repo: f.Repo}, nil
}
