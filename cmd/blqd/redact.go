package main

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// hidden is the text that replaces a secret.
const hidden = "xxxxx"

// redactURL returns a URL without its password and without values of parameters that may be secret.
func redactURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return credentials.ReplaceAllString(text, "://"+hidden+"@")
	}
	if _, ok := u.User.Password(); ok {
		u.User = url.UserPassword(u.User.Username(), hidden)
	}
	q := u.Query()
	for key := range q {
		if secretWord.MatchString(key) {
			q.Set(key, hidden)
			u.RawQuery = q.Encode()
		}
	}
	return u.String()
}

var (
	credentials = regexp.MustCompile(`://[^/]*@`)
	secretWord  = regexp.MustCompile(`(?i)pass|secret|token|key`)
)

// redact removes the secrets of the configuration from a text.
func (c *Config) redact(text string) string {
	for _, u := range []string{c.Database, c.Blobs, c.PublicURL, c.GitHubAPI} {
		if u != "" {
			text = strings.ReplaceAll(text, u, redactURL(u))
		}
	}
	for _, secret := range c.secrets() {
		text = strings.ReplaceAll(text, secret, hidden)
	}
	return text
}

// secrets returns the secret values of the configuration.
func (c *Config) secrets() []string {
	list := append(strings.FieldsFunc(c.OwnerHooks, isHookMark), c.Webhook, c.DispatchKey, c.GitHubToken, c.PullsKey,
		c.OwnerHooks, c.AppKey, c.NotifySecret, c.NotifyURL, c.SlackURL, c.ContractsKey)
	for _, u := range []string{c.Database, c.Blobs, c.PublicURL, c.GitHubAPI} {
		if parsed, err := url.Parse(u); err == nil {
			password, _ := parsed.User.Password()
			list = append(list, password)
		}
	}
	return slices.DeleteFunc(list, func(s string) bool { return len(s) <= 3 })
}

// redacted returns an error whose text has no secrets of the configuration.
func (c *Config) redacted(err error) error {
	if text := c.redact(err.Error()); text != err.Error() {
		return errors.New(text)
	}
	return err
}
