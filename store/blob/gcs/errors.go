package gcs

import (
	"errors"
	"fmt"
	"net/http"

	"google.golang.org/api/googleapi"

	"github.com/blq-ci/blq/store"
)

const credentialsHint = "let the service run as a service account, set GOOGLE_APPLICATION_CREDENTIALS to the file " +
	"of its key, or run: gcloud auth application-default login"

// failed returns the error of a call for callers of the store. The codes NotFound, Conflict and Invalid stay, and any
// other error becomes Unavailable. A request that the bucket refuses is also Unavailable, because only the operator
// of the service can fix this, and not the caller.
func (b *Bucket) failed(verb, key string, err error) error {
	switch store.CodeOf(err) {
	case store.NotFound, store.Conflict, store.Invalid:
		return err
	}
	if err == nil {
		return nil
	}
	return store.Errorf(store.Unavailable, "%s %s: %w", verb, key, b.explain(err))
}

// explain returns an error that describes the problem with the bucket or the connection, with a hint. The code of the
// error says what the operator must fix.
func (b *Bucket) explain(err error) error {
	switch status(err) {
	case http.StatusUnauthorized:
		return store.Hint(store.Errorf(store.Unauthorized, "gs://%s: the credentials are not accepted: %w", b.name,
			brief(err)), credentialsHint)
	case http.StatusForbidden:
		return store.Hint(store.Errorf(store.Forbidden, "gs://%s: not permitted: %w", b.name, brief(err)),
			"gcloud storage buckets add-iam-policy-binding gs://%s --role roles/storage.objectUser --member serviceAccount:NAME",
			b.name)
	case http.StatusNotFound:
		return store.Hint(store.Errorf(store.NotFound, "gs://%s: there is no such bucket", b.name),
			"correct its name, or run: gcloud storage buckets create gs://%s --uniform-bucket-level-access", b.name)
	}
	err = store.Errorf(store.Unavailable, "gs://%s: %w", b.name, brief(err))
	if host := b.emulated(); host != "" {
		return store.Hint(err, "%s is set: is %s what should be used, and does it run?", emulator, host)
	}
	return store.Hint(err, "check the network and https://status.cloud.google.com, then try again")
}

// brief returns an error whose text has only one line of the response's body.
func brief(err error) error {
	if _, ok := err.(*tried); ok { //nolint:errorlint // it is brief already
		return err
	}
	e, ok := errors.AsType[*googleapi.Error](err)
	switch {
	case ok && e.Message != "":
		return fmt.Errorf("HTTP %d: %.300q", e.Code, e.Message)
	case ok:
		return fmt.Errorf("HTTP %d: %.300q", e.Code, e.Body)
	}
	return err
}
