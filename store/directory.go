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

	// UseOnce records until a time that a value was used, such as the ID of a one-time token. Conflict: the value was
	// used before.
	UseOnce(ctx context.Context, value string, until time.Time) error

	// ForgetUsed removes used values, tokens of jobs and sign-ins that expired before a time. It returns their number.
	ForgetUsed(ctx context.Context, before time.Time) (int, error)
}

// Enrolment stores the repositories whose jobs may send runs.
type Enrolment interface {
	// EnrolRepo enrols a repository. If a repository with the same host and ID is enrolled, EnrolRepo updates it and
	// keeps the time of its enrolment. All stored data of the repository moves to its name. Data of another repository
	// under that name is set aside; see GiveName. Invalid: see EnrolledRepo.Checked. Conflict: another repository is
	// enrolled under the name, or under a name that differs only in case.
	EnrolRepo(ctx context.Context, r EnrolledRepo) (EnrolledRepo, error)

	// WithdrawRepo ends an enrolment. The runs stay stored, and belong to the repository again after another enrolment.
	// NotFound: the repository is not enrolled.
	WithdrawRepo(ctx context.Context, host string, id int64) error

	// Handovers returns how often a name has passed from one repository to another. After the number has grown, servers
	// must check again what callers may do with a name.
	Handovers(ctx context.Context) (int64, error)

	// EnrolledRepo returns the repository with the given ID at a host. NotFound: it is not enrolled.
	EnrolledRepo(ctx context.Context, host string, id int64) (EnrolledRepo, error)

	// EnrolledRepos returns all enrolled repositories, by name.
	EnrolledRepos(ctx context.Context) ([]EnrolledRepo, error)

	// KnownRepos returns the names of those repositories of an owner that are enrolled or have had runs, in order.
	KnownRepos(ctx context.Context, owner string) ([]string, error)
}

// Tokens stores the tokens of callers.
type Tokens interface {
	// CreateToken stores a token. Invalid: see Token.Check. Conflict: the ID or hash is in use.
	CreateToken(ctx context.Context, t Token) error

	// TokenByHash returns the token whose secret has the given hash. The token may be expired or revoked. NotFound:
	// there is no such token.
	TokenByHash(ctx context.Context, hash []byte) (Token, error)

	// Tokens returns the tokens that people made, newest first. It leaves out tokens of jobs.
	Tokens(ctx context.Context) ([]Token, error)

	// RevokeToken revokes a token at a time. It does not change a token that is already revoked. NotFound: there is no
	// token with that ID.
	RevokeToken(ctx context.Context, id string, at time.Time) error
}

// DefaultHost is the host of repositories for which no host is given.
const DefaultHost = "github.com"

// EnrolledRepo is a repository whose jobs may send runs. Its ID is unique only within its host.
type EnrolledRepo struct {
	Host          string // "" for DefaultHost
	ID            int64  // ID at the host; a rename does not change it
	Name          string // owner/name
	DefaultBranch string // "" if unknown
	Public        bool   // everybody may read the repository at its host
	EnrolledAt    time.Time
}

// Checked returns the repository with its host filled in. Invalid: the ID is missing, or the name is not valid.
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
