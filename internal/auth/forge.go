package auth

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/blq-ci/blq/internal/httpserver"
	"github.com/blq-ci/blq/internal/lazyregexp"
	"github.com/blq-ci/blq/store"
)

// Forge knows the owners of tokens, and the repositories that a token may read. The type GitHub implements it.
type Forge interface {
	// Host returns the host of the forge in the form of store.EnrolledRepo.
	Host() string
	// User returns the login name of a token's owner. Errors: unauthorized when the token is not valid, unavailable
	// when the forge does not answer.
	User(ctx context.Context, token string) (string, error)
	// Repo returns a repository. Errors: not_found when the token may not read the repository, and the errors of User.
	Repo(ctx context.Context, token, name string) (ForgeRepo, error)
	// Repos returns the repositories to which the token's owner has access, at most the first thousand.
	Repos(ctx context.Context, token string) ([]ForgeRepo, error)
}

// ForgeRepo is a repository on its forge.
type ForgeRepo struct {
	ID    int64
	Read  bool // the token may read the repository's content
	Write bool // the token may write to the repository
}

const (
	maxLookups = 100 // max enrolled repositories that are looked up individually
	atOnce     = 8
	badFor     = time.Minute // time for which an invalid token is cached
)

// gitHubs matches the GitHub tokens that blqd accepts: tokens of people, apps, installations and jobs, and the 40 hex
// digits of old servers.
var gitHubs = lazyregexp.New(`^(gh[pous]_[0-9A-Za-z_.-]{20,1000}|github_pat_[0-9A-Za-z_]{20,250}|[0-9a-f]{40})$`)

func isGitHubs(s string) bool { return gitHubs.MatchString(s) }

// byForge returns the owner of a GitHub token. The owner may read the runs of all enrolled repositories that the
// token can read. byForge looks up all of them, even if the request is about a single repository. So neither an
// answer nor its timing reveals other repositories. A cached answer becomes invalid when the name of a repository
// passes to another repository. Errors: unauthorized when the token is not valid, unavailable when the forge does not
// answer.
func (a *Authenticator) byForge(ctx context.Context, token string) (Principal, error) {
	return a.users.get(ctx, string(hash(token)), func(ctx context.Context) (f found, err error) {
		leave, err := a.guards.lookups.Enter(ctx, httpserver.Tenant(ctx))
		if err != nil {
			return f, err
		}
		defer leave()
		if f.version, err = a.Directory.Handovers(ctx); err != nil {
			return f, err
		}
		f.p, err = a.askForge(ctx, token)
		switch store.CodeOf(err) {
		case store.Unauthorized:
			f.good = badFor
		case store.Unavailable:
			after, _ := store.RetryAfter(err)
			f.good = min(max(after, time.Second), 5*time.Minute)
		case "":
			if err == nil {
				f.good = a.RemembersFor
			}
		}
		return f, err
	})
}

func (a *Authenticator) askForge(ctx context.Context, token string) (Principal, error) {
	login, err := a.Forge.User(ctx, token)
	if err != nil {
		return Principal{}, err
	}
	all, err := a.Directory.EnrolledRepos(ctx)
	if err != nil {
		return Principal{}, err
	}
	all = slices.DeleteFunc(all, func(r store.EnrolledRepo) bool { return r.Host != a.Forge.Host() })
	ask := a.oneByOne
	if len(all) > maxLookups {
		ask = a.fromList
	}
	found, err := ask(ctx, token, all)
	if err != nil {
		return Principal{}, err
	}
	return user(login, all, found), nil
}

// user returns the caller for a GitHub token. login is the login name of its owner. The parameter all
// has the enrolled repositories, and the parameter found has the forge's answers about them. Write
// access to a repository includes starting its configured commands. A token without a readable
// repository may do nothing.
func user(login string, all []store.EnrolledRepo, found []ForgeRepo) Principal {
	var read, write []string
	for i, r := range all {
		if found[i].Read {
			read = append(read, r.Name)
		}
		if found[i].Read && found[i].Write {
			write = append(write, r.Name)
		}
	}
	p := Principal{Kind: KindUser, ID: "user:" + login, Read: store.Repos(read...), Start: store.Repos(write...)}
	if len(read) > 0 {
		p.Scopes = []store.TokenScope{store.ScopeRead, store.ScopeQuery}
	}
	if len(write) > 0 {
		p.Scopes = append(p.Scopes, store.ScopeRun)
	}
	return p
}

// oneByOne looks up each repository, and returns the answers in the same order. The answer is empty for a repository
// that the token may not read. It is also empty for a repository with another ID, because only its name is the same.
func (a *Authenticator) oneByOne(ctx context.Context, token string, all []store.EnrolledRepo) ([]ForgeRepo, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	found := make([]ForgeRepo, len(all))
	slots := make(chan struct{}, atOnce)
	for i, r := range all {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			got, err := a.Forge.Repo(ctx, token, r.Name)
			if err == nil && got.ID == r.ID {
				found[i] = got
			}
			if err != nil && store.CodeOf(err) != store.NotFound {
				cancel(err)
			}
		})
	}
	group.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return found, nil
}

// fromList finds each repository in the list of repositories to which the token's owner has access, and returns the
// answers in the same order. The answer is the zero value for a repository that is not in the list. Callers use
// fromList when there are too many enrolled repositories for individual lookups.
func (a *Authenticator) fromList(ctx context.Context, token string, all []store.EnrolledRepo) ([]ForgeRepo, error) {
	list, err := a.Forge.Repos(ctx, token)
	if err != nil {
		return nil, err
	}
	byID := map[int64]ForgeRepo{}
	for _, r := range list {
		byID[r.ID] = r
	}
	found := make([]ForgeRepo, len(all))
	for i, r := range all {
		found[i] = byID[r.ID]
	}
	return found, nil
}
