package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// release is a release to which the Action is pinned.
type release struct {
	Version string // v1.2.3
	Job     string // image of blq for jobs
	Toolbox string // image that action/container runs
	Sums    string // file with the checksums of the archives
}

var (
	imageLine = regexp.MustCompile(`(?m)^\s*image:\s*['"]?docker://\S+$`)
	ownUse    = regexp.MustCompile(`(?m)^(\s*(?:- )?uses:\s*blq-ci/blq(?:/\S+)?)@\S+$`)
	sumLine   = regexp.MustCompile(`(?m)^[0-9a-f]{64}  blq(-job)?_\S+\n`)
)

// pin writes a release into the files of the Action in a source tree. It writes the version, image digests and
// checksums, and the version in references to other parts of the Action.
func pin(root string, r release) error {
	if !isVersion.MatchString(r.Version) {
		return fmt.Errorf("%q is not a version like v1.2.3", r.Version)
	}
	sums, err := os.ReadFile(r.Sums)
	if err != nil {
		return err
	}
	blq := strings.Join(sumLine.FindAllString(string(sums), -1), "")
	if !strings.Contains(blq, "  blq-job_"+r.Version[1:]+"_") {
		return fmt.Errorf("%s has no archives of blq-job %s", r.Sums, r.Version)
	}
	if err := os.WriteFile(filepath.Join(root, "action/SHA256SUMS"), []byte(blq), 0o644); err != nil {
		return err
	}
	if err := rewrite(filepath.Join(root, "action/release.env"), r.environment); err != nil {
		return err
	}
	actions, err := filepath.Glob(filepath.Join(root, "action/*/action.yml"))
	if err != nil {
		return err
	}
	for _, file := range append(actions, filepath.Join(root, "action.yml")) {
		if err := rewrite(file, r.action); err != nil {
			return err
		}
	}
	return nil
}

func rewrite(file string, edit func(string) (string, error)) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	changed, err := edit(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, []byte(changed), 0o644)
}

// action pins the images in the file of an action. It also pins the other actions of this repository in that file.
func (r release) action(text string) (string, error) {
	var foreign error
	text = imageLine.ReplaceAllStringFunc(text, func(line string) string {
		before, name, _ := strings.Cut(line, "docker://")
		name, _, _ = strings.Cut(strings.TrimRight(name, `'"`), "@") // remove the digest
		name = path.Base(name)
		name, _, _ = strings.Cut(name, ":") // remove the tag
		switch name {
		case "blq-toolbox":
			name = r.Toolbox
		case "blq-job":
			name = r.Job
		default:
			foreign = fmt.Errorf("%s is not an image of ours", name)
		}
		return strings.TrimRight(before, `'"`) + "docker://" + name
	})
	return ownUse.ReplaceAllString(text, "${1}@"+r.Version), foreign
}

// environment sets the values in release.env.
func (r release) environment(text string) (string, error) {
	for name, value := range map[string]string{"BLQ_VERSION": r.Version, "BLQ_IMAGE": r.Job} {
		line := regexp.MustCompile(`(?m)^` + name + `=.*$`)
		if n := len(line.FindAllString(text, -1)); n != 1 {
			return "", fmt.Errorf("it sets %s %d times, not once", name, n)
		}
		text = line.ReplaceAllString(text, name+"="+value)
	}
	return text, nil
}
