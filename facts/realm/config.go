package realm

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blq-ci/blq/internal/yamlfile"
	"github.com/blq-ci/blq/store"
)

// ConfigFile is the file in which a member names its realm.
const ConfigFile = ".blue/config.yaml"

// Config is the configuration of a member.
type Config struct {
	Realm        string // name of the realm
	URL          string // URL of the realm's repository, "" if not given
	Path         string // path of a clone of the realm, relative to the member's repository; "" for the usual place
	Repo         string // name of the member in the realm
	ContractsDir string // directory of the contracts that the member owns
	RFCBranch    string // template of branches, with {rfc}
}

// IsName reports whether a text is a valid name of a realm or a repository. Names become parts of paths.
func IsName(text string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
	return text != "" && len(text) <= 100 && strings.ContainsRune(letters, rune(text[0])) &&
		strings.Trim(text, letters+".-") == ""
}

// maxTitle is the max number of bytes in the name of a contract or domain.
const maxTitle = 200

// isTitle reports whether a text can name a contract or a domain. Such names are shown in answers and in
// comments on pull requests, so they must be printable. They must not look like a path.
func isTitle(text string) bool {
	return text != "" && len(text) <= maxTitle && text != "." && text != ".." &&
		!strings.ContainsFunc(text, func(c rune) bool {
			return c == '/' || c == '\\' || c == utf8.RuneError || !unicode.IsPrint(c)
		})
}

// maxRFC is the max number of bytes in the name of an RFC. The name becomes a part of paths.
const maxRFC = 150

// IsRFC reports whether a text is a valid name of an RFC. The name becomes the name of a branch and of directories.
func IsRFC(text string) bool {
	const first = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	if text == "" || len(text) > maxRFC || strings.Trim(text, first+"._/-") != "" ||
		!strings.ContainsRune(first, rune(text[0])) || strings.Contains(text, "..") || text == "HEAD" {
		return false
	}
	for part := range strings.SplitSeq(text, "/") { // these are git's rules for branch names
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".") || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}

// BranchOf returns the branch of an RFC. It replaces {rfc} in the template; the default template is rfc/{rfc}. A name
// that already begins like the template, such as rfc/7, is itself the branch.
func BranchOf(template, rfc string) string {
	template = cmp.Or(template, usualBranch)
	if begin, _, _ := strings.Cut(template, "{rfc}"); strings.Trim(begin, "/") != "" &&
		strings.HasPrefix(rfc, strings.TrimRight(begin, "/-_")) {
		return rfc
	}
	return strings.ReplaceAll(template, "{rfc}", rfc)
}

// usualBranch is the default template of branches.
const usualBranch = "rfc/{rfc}"

// ParseConfig reads the configuration of a member. The error is Invalid if the file cannot be read, if it does not
// name the realm and the member, or if contracts_dir or rfc_branch is not valid.
func ParseConfig(text []byte) (Config, error) {
	v, err := yamlfile.Parse(text)
	if err != nil {
		return Config{}, store.Hint(store.Errorf(store.Invalid, "%s cannot be read: %w", ConfigFile, err), example)
	}
	realm := v.Get("realm")
	c := Config{Realm: cmp.Or(realm.Get("name").Text(), realm.Text()), URL: realm.Get("url").Text(),
		Path:         realm.Get("path").Text(),
		Repo:         v.Get("repo").Text(),
		ContractsDir: cmp.Or(v.Get("contracts_dir").Text(), ".blue/contracts"),
		RFCBranch:    cmp.Or(v.Get("rfc_branch").Text(), usualBranch)}
	switch {
	case !IsName(c.Realm):
		err = fmt.Errorf("%s needs realm.name, the name of the realm; it is %.100q", ConfigFile, c.Realm)
	case !IsName(c.Repo):
		err = fmt.Errorf("%s needs repo, the name of this repository in the realm; it is %.100q", ConfigFile, c.Repo)
	case path.IsAbs(c.ContractsDir) || strings.HasPrefix(path.Clean(c.ContractsDir)+"/", "../"):
		err = fmt.Errorf("contracts_dir of %s has to be in the repository; it is %.100q", ConfigFile, c.ContractsDir)
	case !slices.ContainsFunc(strings.Split(path.Clean(c.ContractsDir), "/"), func(part string) bool {
		return part == "contracts" || part == ".blue"
	}):
		err = fmt.Errorf("contracts_dir of %s has to be a directory contracts, or in one, or in .blue; it is %.100q",
			ConfigFile, c.ContractsDir)
	case !strings.Contains(c.RFCBranch, "{rfc}") || !IsRFC(strings.ReplaceAll(c.RFCBranch, "{rfc}", "x")):
		err = fmt.Errorf("rfc_branch of %s has to be a branch with {rfc}; it is %.100q", ConfigFile, c.RFCBranch)
	default:
		c.ContractsDir = path.Clean(c.ContractsDir)
		return c, nil
	}
	return Config{}, store.Hint(store.Errorf(store.Invalid, "%w", err), example)
}

// In returns the configuration for a realm. If the realm differs from c.Realm, the configuration has no URL, and the
// clone of the realm is in the usual place. The error is Invalid if the name of the realm is not valid.
func (c Config) In(realm string) (Config, error) {
	switch {
	case realm == c.Realm:
		return c, nil
	case !IsName(realm):
		return c, store.Errorf(store.Invalid, "%.100q is not the name of a realm", realm)
	}
	c.Realm, c.Path, c.URL = realm, "", ""
	return c, nil
}

const example = "write it like this: realm: {name: aperture, url: https://git.example.com/acme/realm-aperture}, " +
	"and below it repo: blue"
