package deliveries

import (
	"fmt"
	"strings"

	"github.com/blq-ci/blq/internal/github"
	"github.com/blq-ci/blq/internal/joblog"
)

// restorer returns a function that restores the workflow commands that a job printed. The job's log has only their
// messages. GitHub keeps the other parts as annotations. The annotations are fetched when the first message comes.
func (d *Deliveries) restorer(s *shift, client *github.Client, repo string, job int64) joblog.Restore {
	var notes []github.Annotation
	asked := false
	return func(level, message string) string {
		if !asked {
			asked = true
			if err := s.outside(func() (err error) {
				notes, err = client.JobAnnotations(s.ctx, repo, job)
				return err
			}); err != nil {
				d.Log.WarnContext(s.ctx, "annotations are not known", "repo", repo, "job", job, "error", err)
			}
		}
		for _, n := range notes {
			if n.Message == message && n.Level == annotationLevels[level] {
				return command(level, n)
			}
		}
		return ""
	}
}

var annotationLevels = map[string]string{"error": "failure", "warning": "warning", "notice": "notice"}

// noFile is GitHub's path for annotations without a file.
const noFile = ".github"

var (
	escapedText  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapedValue = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// command returns an annotation as a workflow command.
func command(level string, n github.Annotation) string {
	var values []string
	if n.Path != noFile {
		values = append(values, "file="+escapedValue.Replace(n.Path), fmt.Sprintf("line=%d", n.StartLine))
		if n.Column > 0 {
			values = append(values, fmt.Sprintf("col=%d", n.Column))
		}
	}
	if n.Title != "" {
		values = append(values, "title="+escapedValue.Replace(n.Title))
	}
	text := "::" + level
	if len(values) > 0 {
		text += " " + strings.Join(values, ",")
	}
	return text + "::" + escapedText.Replace(n.Message)
}
