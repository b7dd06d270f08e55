package store

import (
	"context"
	"time"
)

// Directory keeps who may write to and read from a shared store: enrolled
// repositories, tokens and sign-ins.
type Directory interface {
	Enrolment
	Tokens
	SignIns

	// UseOnce records until a time that a value was used, such as the ID of a one-time token. Conflict: it was used
	// before.
	UseOnce(ctx context.Context, value string, until time.Time) error

	// ForgetUsed forgets used values, tokens of jobs and sign-ins that expired before a moment, and returns their number.
	ForgetUsed(ctx context.Context, before time.Time) (int, error)
}

// Enrolment keeps the repositories whose jobs may send runs.
type Enrolment interface {
	// EnrolRepo enrols a repository. It updates one that has the same host and ID
	// already, except for the time of its enrolment. All that is stored of it follows
	// to its name, and what another one left there is set aside, see GiveName.
	// Invalid: see EnrolledRepo.Checked. Conflict: another repository is enrolled
	// under the name; upper and lower case do not differ.
	EnrolRepo(ctx context.Context, r EnrolledRepo) (EnrolledRepo, error)

	// WithdrawRepo ends an enrolment. Its runs stay: it has them again once it is
	// enrolled again. NotFound: it is not enrolled.
	WithdrawRepo(ctx context.Context, host string, id int64) error

	// Handovers returns how often a name went from one repository to another. Once
	// it has grown, what a caller may do with a name has to be asked again.
	Handovers(ctx context.Context) (int64, error)

	// EnrolledRepo returns the repository that has an ID at a host. NotFound: it
	// is not enrolled.
	EnrolledRepo(ctx context.Context, host string, id int64) (EnrolledRepo, error)

	// EnrolledRepos returns all enrolled repositories, by name.
	EnrolledRepos(ctx context.Context) ([]EnrolledRepo, error)

	// KnownRepos returns the names of those repositories of an owner that are
	// enrolled or have had runs, sorted.
	KnownRepos(ctx context.Context, owner string) ([]string, error)
}

// Tokens keeps the tokens of callers.
type Tokens interface {
	// CreateToken stores a token. Invalid: see Token.Check. Conflict: its ID or
	// hash is taken.
	CreateToken(ctx context.Context, t Token) error

	// TokenByHash returns the token whose secret has a hash, also an expired or
	// revoked one. NotFound: there is none.
	TokenByHash(ctx context.Context, hash []byte) (Token, error)

	// Tokens returns the tokens that people made, newest first, without those of
	// jobs.
	Tokens(ctx context.Context) ([]Token, error)

	// RevokeToken ends a token at a time; one that is revoked already stays as it
	// is. NotFound: there is no token with that ID.
	RevokeToken(ctx context.Context, id string, at time.Time) error
}

// DefaultHost is the host of repositories that name none.
const DefaultHost = "github.com"

// EnrolledRepo is a repository whose jobs may send runs. Its ID is unique at its
// host only.
type EnrolledRepo struct {
	Host          string // "" for DefaultHost
	ID            int64  // at its host, the same after a rename
	Name          string // owner/name
	DefaultBranch string // "" when it is not known
	Public        bool   // everybody may read it at its host
	EnrolledAt    time.Time
}

// Checked returns the repository with its host filled in. Invalid: no ID, or a bad name.
func (r EnrolledRepo) Checked() (EnrolledRepo, error) {
	if r.Host == "" {
		r.Host = DefaultHost
	}
	switch {
	case r.ID <= 0:
		return r, Errorf(Invalid, "repository %q has no ID: a name can change hands, the ID cannot", r.Name)
	case !IsRepoName(r.Name):
		return r, Errorf(Invalid, "%q is not the name of a repository: owner/name", r.Name)
	}
	return r, nil
}

// NotEnrolled returns the NotFound of a repository that is not enrolled.
func NotEnrolled(host string, id int64) error {
	return Errorf(NotFound, "no repository %d of %s is enrolled", id, host)
}

// NameEnrolled returns the Conflict of a name that another repository is enrolled
// under.
func NameEnrolled(name string) error {
	return Errorf(Conflict, "another repository is enrolled as %s", name)
}

// UsedBefore returns the Conflict of a value that was used before.
func UsedBefore() error { return Errorf(Conflict, "it was used before") }
