package formats

import (
	"strings"

	"github.com/blq-ci/blq/ingest/parse"
	"github.com/blq-ci/blq/store"
)

// kubernetesFormat reads kubectl, helm and kind.
var kubernetesFormat = parse.Format{
	Name:  "kubernetes",
	About: "kubectl, helm and kind: refused resources, failed releases, clusters that cannot be created",
	Triggers: []string{
		"Error from server", "The connection to the server", "Unable to connect to the server", "error validating ",
		"unable to recognize ", "resource mapping not found",
		"INSTALLATION FAILED", "UPGRADE FAILED", "error: timed out waiting", "error: the path ", "error parsing ",
		"Error: chart ", "ImagePullBackOff", "CrashLoopBackOff", "failed to create cluster: ",
	},
	Lines: parse.Lines{
		{Text: "^ERROR: «failed to create cluster: {*}»", Tool: "kind", Category: store.CategoryBuild},
	},
	Match: matchKubernetes,
}

func matchKubernetes(s *parse.Scan, l parse.Line) bool {
	text := l.Trim()
	message := strings.TrimPrefix(strings.TrimPrefix(text, "error: "), "Error: ")
	e := store.Event{Tool: "kubectl", Message: message, Category: store.CategoryBuild}
	switch {
	case strings.HasPrefix(message, "Error from server ("):
		e.Code, e.Message, _ = strings.Cut(message[len("Error from server ("):], "): ")
		if e.Message == "" {
			e.Code, e.Message = "", message
		}
	case strings.HasPrefix(message, "INSTALLATION FAILED"), strings.HasPrefix(message, "UPGRADE FAILED"),
		strings.HasPrefix(text, "Error: chart "):
		e.Tool = "helm"
	case !startsWithTrigger(message):
		return false
	}
	s.Add(parse.Draft{Weight: parse.Likely, Event: e})
	return true
}

func startsWithTrigger(message string) bool {
	for _, w := range [...]string{
		"Error from server", "The connection to the server", "Unable to connect to the server", "error validating ",
		"unable to recognize ",
		"resource mapping not found", "timed out waiting", "the path ", "error parsing ",
	} {
		if strings.HasPrefix(message, w) {
			return true
		}
	}
	return false
}
