// Command githubspec cuts GitHub's published OpenAPI description down to the operations that blq
// calls, for internal/github/githubtest:
//
//	npm install --prefix /tmp/spec @octokit/openapi@23.0.2
//	go run ./script/githubspec /tmp/spec/node_modules/@octokit/openapi
//
// It also removes descriptions, examples and other parts that validation does not need, and replaces the info object.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const target = "internal/github/githubtest/testdata/api.github.com.json"

// operations are the operations that internal/github calls.
var operations = map[string][]string{
	"/user":                      {"get"},
	"/user/repos":                {"get"},
	"/installation/repositories": {"get"},
	"/repos/{owner}/{repo}":      {"get"},
	"/repos/{owner}/{repo}/issues/{issue_number}/comments": {"get", "post"},
	"/repos/{owner}/{repo}/issues/comments/{comment_id}":   {"patch", "delete"},
	"/repos/{owner}/{repo}/contents/{path}":                {"get", "put"},
	"/repos/{owner}/{repo}/git/ref/{ref}":                  {"get"},
	"/repos/{owner}/{repo}/git/refs":                       {"post"},
	"/repos/{owner}/{repo}/git/trees/{tree_sha}":           {"get"},
	"/repos/{owner}/{repo}/pulls":                          {"get", "post"},
	"/repos/{owner}/{repo}/pulls/{pull_number}":            {"get"},
	"/app":                              {"get"},
	"/app/installations":                {"get"},
	"/app/hook/deliveries":              {"get"},
	"/app-manifests/{code}/conversions": {"post"},
	"/app/installations/{installation_id}/access_tokens":                         {"post"},
	"/app/hook/deliveries/{delivery_id}/attempts":                                {"post"},
	"/repos/{owner}/{repo}/installation":                                         {"get"},
	"/repos/{owner}/{repo}/check-runs":                                           {"post"},
	"/repos/{owner}/{repo}/check-runs/{check_run_id}":                            {"patch"},
	"/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations":                {"get"},
	"/repos/{owner}/{repo}/commits/{ref}/check-runs":                             {"get"},
	"/repos/{owner}/{repo}/actions/runs":                                         {"get"},
	"/repos/{owner}/{repo}/actions/runs/{run_id}":                                {"get"},
	"/repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}/logs": {"get"},
	"/repos/{owner}/{repo}/actions/jobs/{job_id}":                                {"get"},
	"/repos/{owner}/{repo}/actions/jobs/{job_id}/logs":                           {"get"},
	"/repos/{owner}/{repo}/actions/runs/{run_id}/jobs":                           {"get"},
	"/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts":                      {"get"},
	"/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}":     {"get"},
	"/repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches":           {"post"},
	"/repos/{owner}/{repo}/actions/workflows/{workflow_id}":                      {"get"},
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: githubspec FOLDER-OF-THE-PACKAGE")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "githubspec:", err)
		os.Exit(1)
	}
}

type object = map[string]any

func run(dir string) error {
	var doc, pack object
	if err := read(filepath.Join(dir, "generated", "api.github.com.json"), &doc); err != nil {
		return err
	}
	if err := read(filepath.Join(dir, "package.json"), &pack); err != nil {
		return err
	}
	licence, err := os.ReadFile(filepath.Join(dir, "LICENSE"))
	if err != nil {
		return err
	}
	out, err := trim(doc)
	if err != nil {
		return err
	}
	out["info"] = object{
		"title": "GitHub's REST API, the part that blq asks", "version": fmt.Sprint(pack["name"], "@", pack["version"]),
		"description": "Made by script/githubspec.\n\n" + string(licence),
		"license":     object{"name": "MIT"},
	}
	text, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(target, append(text, '\n'), 0o644)
}

func read(file string, v any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}

// trim returns the operations and everything that they refer to.
func trim(doc object) (object, error) {
	paths := object{}
	for path, methods := range operations {
		item, ok := doc["paths"].(object)[path].(object)
		if !ok {
			return nil, fmt.Errorf("there is no %s", path)
		}
		kept := object{}
		for _, m := range methods {
			if item[m] == nil {
				return nil, fmt.Errorf("there is no %s %s", m, path)
			}
			kept[m] = plain(item[m], false)
		}
		paths[path] = kept
	}
	out := object{"openapi": doc["openapi"], "paths": paths, "components": object{}}
	for waiting := references(paths, nil); len(waiting) > 0; {
		ref := waiting[0]
		waiting = waiting[1:]
		kind, name, _ := strings.Cut(strings.TrimPrefix(ref, "#/components/"), "/")
		of, ok := out["components"].(object)[kind].(object)
		if !ok {
			of = object{}
			out["components"].(object)[kind] = of
		}
		if of[name] != nil {
			continue
		}
		found := doc["components"].(object)[kind].(object)[name]
		if found == nil {
			return nil, fmt.Errorf("there is no %s", ref)
		}
		of[name] = plain(found, false)
		waiting = references(of[name], waiting)
	}
	return out, nil
}

// references appends all references in a value.
func references(v any, list []string) []string {
	switch v := v.(type) {
	case object:
		if ref, ok := v["$ref"].(string); ok {
			list = append(list, ref)
		}
		for _, inner := range v {
			list = references(inner, list)
		}
	case []any:
		for _, inner := range v {
			list = references(inner, list)
		}
	}
	return list
}

// plain returns a value without the parts that validation does not need, such as examples. A description that
// validation requires becomes empty. If names is true, the keys of v are names of properties, and plain removes no key
// of v.
func plain(v any, names bool) any {
	switch v := v.(type) {
	case object:
		kept := object{}
		for key, inner := range v {
			switch {
			case names:
			case key == "examples" || key == "example" || key == "externalDocs" || key == "tags" || key == "summary" ||
				strings.HasPrefix(key, "x-"):
				continue
			case key == "description":
				if _, ok := v["content"]; !ok && v["headers"] == nil && len(v) > 1 {
					continue
				}
				inner = ""
			}
			kept[key] = plain(inner, !names && key == "properties")
		}
		return kept
	case []any:
		list := make([]any, len(v))
		for i, inner := range v {
			list[i] = plain(inner, false)
		}
		return list
	}
	return v
}
