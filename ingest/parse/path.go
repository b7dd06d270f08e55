package parse

import (
	"path"
	"strings"
)

// paths makes file names relative to the repository, with forward slashes.
type paths struct {
	root string // absolute top of the work tree, "" when unknown
	dir  string // directory in which the command ran, relative to root

	tree Tree     // may be nil
	work []string // directories in which the command worked, relative to root; empty if it stayed in dir
}

// newPaths returns the paths of a command. They use the command's work directories only if Options has a tree.
func newPaths(o Options) paths {
	p := rootedPaths(o.Root, o.Dir)
	p.tree = o.Tree
	for _, dir := range o.WorkDirs {
		if rel, ok := p.inRepo(Slash(dir)); ok && !strings.HasPrefix(rel, "../") {
			p.work = append(p.work, rel)
		}
	}
	if len(p.work) == 0 {
		p.work = []string{p.dir}
	}
	return p
}

func rootedPaths(root, dir string) paths {
	root, dir = Slash(root), Slash(dir)
	p := paths{root: strings.TrimSuffix(root, "/")}
	if p.root == "" {
		p.root = strings.TrimSuffix(dir, "/")
	} else if rel, ok := under(p.root, dir); ok {
		p.dir = rel
	}
	return p
}

// Slash returns a path with forward slashes.
func Slash(p string) string {
	if strings.IndexByte(p, '\\') < 0 { // faster than ReplaceAll
		return p
	}
	return strings.ReplaceAll(p, `\`, "/")
}

// clean returns the name of a file relative to the repository. A file outside of the repository keeps its name. dir is
// the directory in which the tool worked when it printed the name, "" for the directory of the command.
func (p paths) clean(file, dir string) string {
	file = Slash(strings.TrimPrefix(file, "file://"))
	if len(file) > 3 && file[0] == '/' && file[2] == ':' && file[3] == '/' { // from a URL: file:///C:/x
		file = file[1:]
	}
	if !IsAbs(file) {
		in := []string{p.dir}
		if p.tree != nil {
			in = p.work
		}
		if dir != "" {
			rel, ok := p.inRepo(dir)
			if !ok && IsAbs(dir) {
				return path.Clean(file)
			}
			in = []string{rel}
		}
		if p.tree != nil {
			return p.locate(file, in)
		}
		return join(in[0], file)
	}
	if rel, ok := p.inRepo(file); ok {
		return rel
	}
	return file
}

// inRepo returns a path relative to the work tree. A relative path belongs to the directory of the command. inRepo
// returns false if an absolute path is neither in the work tree nor in a usual checkout directory of a CI system.
func (p paths) inRepo(abs string) (string, bool) {
	abs = path.Clean(Slash(abs))
	if p.root != "" {
		if rel, ok := under(p.root, abs); ok {
			return rel, true
		}
	}
	if !IsAbs(abs) {
		return path.Join(p.dir, abs), true
	}
	return checkoutRelative(abs)
}

func under(root, p string) (string, bool) {
	if p == root {
		return "", true
	}
	if len(p) > len(root) && p[len(root)] == '/' && strings.EqualFold(p[:len(root)], root) &&
		(p[:len(root)] == root || strings.Contains(root[:min(3, len(root))], ":")) {
		return p[len(root)+1:], true
	}
	return "", false
}

// checkouts are the directories in which CI systems check out repositories. parts is the number of path elements
// after the prefix that also belong to the checkout.
var checkouts = []struct {
	prefix string
	parts  int
}{
	{"/home/runner/work/", 2}, {"/Users/runner/work/", 2}, {"/__w/", 2}, {"/github/workspace/", 0},
	{"/home/travis/build/", 2}, {"/Users/travis/build/", 2}, {"/builds/", 2}, {"/home/circleci/project/", 0},
	{"/root/project/", 0},
	{"/home/vsts/work/", 2}, {"/Users/vsts/agent/work/", 2}, {"/home/vsts_azpcontainer/", 2},
	{"/var/lib/jenkins/workspace/", 1}, {"/home/jenkins/workspace/", 1}, {"/var/jenkins_home/workspace/", 1},
	{"/var/lib/buildkite-agent/builds/", 3},
	{"/bitrise/src/", 0}, {"/opt/atlassian/pipelines/agent/build/", 0}, {"/drone/src/", 0}, {"/workspace/", 0},
	{"C:/projects/", 1}, {"/c/projects/", 1},
}

// checkoutRelative makes a path relative to the usual checkout directory of a CI system.
func checkoutRelative(abs string) (string, bool) {
	if len(abs) > 5 && abs[1:5] == ":/a/" { // GitHub's Windows runners: D:/a/repo/repo/
		return dropParts(abs[5:], 2)
	}
	for _, c := range checkouts {
		if strings.HasPrefix(abs, c.prefix) {
			return dropParts(abs[len(c.prefix):], c.parts)
		}
	}
	return "", false
}

func dropParts(p string, n int) (string, bool) {
	for ; n > 0; n-- {
		i := strings.IndexByte(p, '/')
		if i < 0 {
			return "", n == 1 && p != ""
		}
		p = p[i+1:]
	}
	return p, true
}

// IsAbs reports whether a path is absolute on any system.
func IsAbs(p string) bool {
	return strings.HasPrefix(p, "/") || len(p) > 2 && p[1] == ':' && (p[2] == '/' || p[2] == '\\')
}
