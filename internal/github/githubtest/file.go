package githubtest

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// File sets the text of a file on the branch main.
func (g *GitHub) File(repo, path, text string) {
	g.change(repo, func(r *repository) { r.on("main")[path] = text })
}

// CommitFiles sets the files of a commit.
func (g *GitHub) CommitFiles(repo, sha string, files map[string]string) {
	g.change(repo, func(r *repository) { maps.Copy(r.on(sha), files) })
}

// FileAt returns the text of a file on a branch.
func (g *GitHub) FileAt(repo, branch, path string) string {
	var text string
	g.change(repo, func(r *repository) { text = r.on(branch)[path] })
	return text
}

// Pulls returns the pull requests of a repository.
func (g *GitHub) Pulls(repo string) []Pull {
	var list []Pull
	g.change(repo, func(r *repository) { list = slices.Clone(r.pulls) })
	return list
}

// ClosePull closes a pull request.
func (g *GitHub) ClosePull(repo string, number int) {
	g.change(repo, func(r *repository) {
		for i := range r.pulls {
			if r.pulls[i].Number == number {
				r.pulls[i].State = "closed"
			}
		}
	})
}

// on returns the files of a branch.
func (r *repository) on(branch string) map[string]string {
	if r.files == nil {
		r.files = map[string]map[string]string{}
	}
	if r.files[branch] == nil {
		r.files[branch] = map[string]string{}
	}
	return r.files[branch]
}

// sha returns the ID of a git object with the given text.
func sha(kind, text string) string {
	sum := sha1.Sum([]byte(fmt.Sprintf("%s %d\x00%s", kind, len(text), text)))
	return hex.EncodeToString(sum[:])
}

// head returns the commit of a branch. It returns "" if there is no such branch.
func (r *repository) head(branch string) string {
	if branch != "main" && !slices.Contains(r.branches, branch) {
		return ""
	}
	return sha("commit", fmt.Sprint(r.on(branch)))
}

func (c *call) file(r *repository) {
	branch := c.URL.Query().Get("ref")
	if branch == "" {
		branch = "main"
	}
	path := c.PathValue("path")
	text, ok := r.on(branch)[path]
	if !ok || r.head(branch) == "" && len(branch) != 40 {
		c.notFound()
		return
	}
	c.say(http.StatusOK, fileObject(path, text))
}

// tree lists the files of a commit.
func (c *call) tree(r *repository) {
	of := c.PathValue("ref")
	files, ok := r.files[of]
	if !ok {
		c.notFound()
		return
	}
	list := []object{}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		list = append(list, object{"path": path, "mode": "100644", "type": "blob", "sha": sha("blob", files[path]),
			"size": len(files[path]), "url": c.g.address("")})
	}
	c.say(http.StatusOK, object{"sha": of, "url": c.g.address(""), "truncated": false, "tree": list})
}

func fileObject(path, text string) object {
	return object{"type": "file", "encoding": "base64", "size": len(text), "name": path, "path": path,
		"content": base64.StdEncoding.EncodeToString([]byte(text)) + "\n", "sha": sha("blob", text)}
}

func (c *call) ref(r *repository) {
	branch := strings.TrimPrefix(c.PathValue("ref"), "heads/")
	head := r.head(branch)
	if head == "" {
		c.notFound()
		return
	}
	c.say(http.StatusOK, object{"ref": "refs/heads/" + branch, "object": object{"type": "commit", "sha": head}})
}

func (c *call) createRef(r *repository) {
	var sent struct{ Ref, SHA string }
	c.read(&sent)
	branch := strings.TrimPrefix(sent.Ref, "refs/heads/")
	switch {
	case r.head(branch) != "":
		c.refuse(http.StatusUnprocessableEntity, "Reference already exists")
		return
	case sent.SHA != r.head("main"):
		c.refuse(http.StatusUnprocessableEntity, "Object does not exist")
		return
	}
	r.branches = append(r.branches, branch)
	maps.Copy(r.on(branch), r.on("main"))
	c.say(http.StatusCreated, object{"ref": sent.Ref, "object": object{"type": "commit", "sha": sent.SHA}})
}

func (c *call) commitFile(r *repository) {
	var sent struct{ Message, Branch, SHA, Content string }
	c.read(&sent)
	path := c.PathValue("path")
	text, err := base64.StdEncoding.DecodeString(sent.Content)
	switch have := sha("blob", r.on(sent.Branch)[path]); {
	case err != nil:
		c.refuse(http.StatusUnprocessableEntity, "content is not valid Base64")
		return
	case r.head(sent.Branch) == "":
		c.notFound()
		return
	case sent.SHA != have:
		c.refuse(http.StatusConflict, path+" does not match "+sent.SHA)
		return
	}
	r.on(sent.Branch)[path] = string(text)
	c.say(http.StatusOK, object{"content": fileObject(path, string(text)), "commit": object{"message": sent.Message}})
}

func (c *call) openPull(r *repository) {
	var sent struct{ Title, Body, Head, Base string }
	c.read(&sent)
	switch {
	case r.head(sent.Head) == "" || sent.Base != "main":
		c.refuse(http.StatusUnprocessableEntity, "Validation Failed")
		return
	case slices.ContainsFunc(r.pulls, func(p Pull) bool { return p.HeadRef == sent.Head && p.State == "open" }):
		c.refuse(http.StatusUnprocessableEntity, "A pull request already exists for "+sent.Head)
		return
	case r.head(sent.Head) == r.head("main"):
		c.refuse(http.StatusUnprocessableEntity, "No commits between main and "+sent.Head)
		return
	}
	p := Pull{Number: len(r.pulls) + 1, State: "open", Author: c.who.login, HeadSHA: r.head(sent.Head), HeadRef: sent.Head,
		HeadRepo: r.name, BaseSHA: r.head("main"), BaseRef: "main", Title: sent.Title, Body: sent.Body}
	r.pulls = append(r.pulls, p)
	c.say(http.StatusCreated, c.describePull(r, p))
}
