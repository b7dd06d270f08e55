package store

import (
	"context"
	"time"
)

// Directory stores who may write to and read from a shared store: enrolled repositories, tokens and sign-ins.
type Directory interface {
	Enrolment
	Tokens
	SignIns

	// UseOnce records until the given time that a value was used. An example of a value is the ID of a one-time token.
	// Conflict: the value was used before.
	UseOnce(ctx context.Context, value string, until time.Time) error

	// ForgetUsed removes used values, tokens of jobs and sign-ins that expired before a time. It returns the number of
	// removed items.
	ForgetUsed(ctx context.Context, before time.Time) (int, error)
}

// Enrolment stores the repositories whose jobs may send runs.
type Enrolment interface {
	// EnrolRepo enrols a repository. If a repository with the same host and ID is enrolled, EnrolRepo updates it and
	// keeps the time of its enrolment. All stored data of the repository moves to the repository's name. Data that
	// another repository has under that name is set aside; see GiveName. Invalid: see EnrolledRepo.Checked. Conflict:
	// another repository is enrolled under the same name, or under a name that differs only in case.
	EnrolRepo(ctx context.Context, r EnrolledRepo) (EnrolledRepo, error)

	// WithdrawRepo ends an enrolment. The runs stay stored. If the repository is enrolled again, it has its runs again.
	// NotFound: the repository is not enrolled.
	WithdrawRepo(ctx context.Context, host string, id int64) error

	// Handovers returns the number of times that a name has passed from one repository to another. If the number has
	// grown, servers must check the rights of callers to a name again.
	Handovers(ctx context.Context) (int64, error)

	// EnrolledRepo returns the repository with the given ID at a host. NotFound: the repository is not enrolled.
	EnrolledRepo(ctx context.Context, host string, id int64) (EnrolledRepo, error)

	// EnrolledRepos returns all enrolled repositories, sorted by name.
	EnrolledRepos(ctx context.Context) ([]EnrolledRepo, error)
}

// Tokens stores the tokens of callers.
type Tokens interface {
	// CreateToken stores a token. Invalid: see Token.Check. Conflict: the ID or hash is in use.
	CreateToken(ctx context.Context, t Token) error

	// TokenByHash returns the token whose secret has the given hash, even if the token is expired or revoked. known
	// holds the sorted names of all repositories of the token's owners that are enrolled or have had runs. known is nil
	// for a token that has no owners or may only send runs. NotFound: there is no such token.
	TokenByHash(ctx context.Context, hash []byte) (t Token, known []string, err error)

	// Tokens returns the tokens that people made, newest first. It leaves out tokens of jobs.
	Tokens(ctx context.Context) ([]Token, error)

	// RevokeToken revokes a token at the given time. It does not change a token that is already revoked. NotFound:
	// there is no such token.
	RevokeToken(ctx context.Context, id string, at time.Time) error
}

// DefaultHost is the host of a repository if no host is given.
const DefaultHost = "github.com"

// EnrolledRepo is a repository whose jobs may send runs. The repository's ID is unique only among the repositories of
// its host.
type EnrolledRepo struct {
	Host          string // "" for DefaultHost
	ID            int64  // ID at the host; a rename does not change it
	Name          string // owner/name
	DefaultBranch string // "" if unknown
	Public        bool   // everybody may read the repository at its host
	EnrolledAt    time.Time
}

// Checked returns the repository, with the default host if it has no host. Invalid: the ID is missing, or the name is
// not valid.
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

// NotEnrolled returns the NotFound error for a repository that is not enrolled.
func NotEnrolled(host string, id int64) error {
	return Errorf(NotFound, "no repository %d of %s is enrolled", id, host)
}

// NameEnrolled returns the Conflict error for a name under which another repository is enrolled.
func NameEnrolled(name string) error {
	return Errorf(Conflict, "another repository is enrolled as %s", name)
}

// UsedBefore returns the Conflict error for a value that was used before.
func UsedBefore() error { return Errorf(Conflict, "it was used before") }
