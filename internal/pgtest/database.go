//go:build unix

package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// environment is the name of an environment variable for the URL of a database. If the variable is set, tests use the
// server in the URL and start no server. The user in the URL must be able to create databases.
const environment = "BLQ_TEST_POSTGRES"

// shared is the server for all tests of this process.
var shared struct {
	once   sync.Once
	server *Server
	admin  string // URL of the database that receives CREATE DATABASE
	err    error
	n      atomic.Int64

	template sync.Once
	named    string // name of the database that is the template for copies
	failed   error
}

func admin(t testing.TB) string {
	t.Helper()
	shared.once.Do(func() {
		if shared.admin = os.Getenv(environment); shared.admin != "" {
			return
		}
		if shared.server, shared.err = Start(Options{}); shared.err == nil {
			shared.admin = shared.server.URL("postgres")
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.admin
}

// New returns the URL of an empty database that is dropped after the test. options are appended to CREATE DATABASE.
func New(t testing.TB, options ...string) string {
	t.Helper()
	if options == nil {
		options = []string{utf8}
	}
	return database(t, "template0 "+strings.Join(options, " "))
}

const utf8 = "ENCODING 'UTF8'"

// Copy returns the URL of a copy of a prepared database. The function prepare must close everything that it opens. It
// is called once for all tests of the process. If the environment variable is set, each call of Copy calls prepare.
func Copy(t testing.TB, prepare func(ctx context.Context, url string) error) string {
	t.Helper()
	a := admin(t)
	if os.Getenv(environment) != "" { // a template would stay on the server of the environment variable forever
		u := New(t)
		if err := prepare(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		return u
	}
	shared.template.Do(func() {
		shared.named = "prepared"
		if shared.failed = create(t.Context(), a, shared.named, "template0 "+utf8); shared.failed == nil {
			shared.failed = prepare(t.Context(), named(a, shared.named))
		}
	})
	if shared.failed != nil {
		t.Fatal(shared.failed)
	}
	return database(t, shared.named)
}

func database(t testing.TB, template string) string {
	t.Helper()
	a := admin(t)
	name := fmt.Sprintf("blq_test_%d_%d", os.Getpid(), shared.n.Add(1))
	if err := create(t.Context(), a, name, template); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := execute(context.Background(), a, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return named(a, name)
}

func create(ctx context.Context, admin, name, template string) error {
	statement := "CREATE DATABASE " + name + " TEMPLATE " + template
	if os.Getenv(environment) == "" {
		statement += " STRATEGY FILE_COPY" // twice as fast on a server without fsync
	}
	return execute(ctx, admin, statement)
}

// execute runs a statement on a separate connection.
func execute(ctx context.Context, url, statement string) error {
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connect to the tests' PostgreSQL: %w", err)
	}
	_, err = c.Exec(ctx, statement)
	if err != nil {
		err = fmt.Errorf("%s: %w", statement, err)
	}
	return errors.Join(err, c.Close(ctx))
}

// named returns the URL of another database on the same server.
func named(admin, name string) string {
	u, err := url.Parse(admin)
	if err != nil || !strings.HasPrefix(u.Scheme, "postgres") {
		return admin + " dbname=" + name // if dbname is given several times, the last one counts
	}
	u.Path = "/" + name
	return u.String()
}
