package github

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

const writesChecks = "checks: write"

// MaxAnnotations is the max number of annotations in a request about a check run.
const MaxAnnotations = 50

// CheckRun is a check run of a commit.
type CheckRun struct {
	ID         int64       `json:"id,omitempty"`
	Name       string      `json:"name"`
	HeadSHA    string      `json:"head_sha,omitempty"`
	DetailsURL string      `json:"details_url,omitempty"`
	ExternalID string      `json:"external_id,omitempty"`
	Status     string      `json:"status"`               // in_progress or completed
	Conclusion string      `json:"conclusion,omitempty"` // success, failure, neutral; only if completed
	Output     CheckOutput `json:"output"`
}

// CheckOutput holds the texts and the annotations of a check run. GitHub accepts at most 65,535 characters in Summary.
type CheckOutput struct {
	Title       string       `json:"title"`
	Summary     string       `json:"summary"`
	Annotations []Annotation `json:"annotations,omitempty"`
}

// Annotation is a message at lines of a file.
type Annotation struct {
	Path      string `json:"path"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	Column    int    `json:"start_column,omitempty"`
	Level     string `json:"annotation_level"` // notice, warning or failure
	Title     string `json:"title,omitempty"`
	Message   string `json:"message"`
	Details   string `json:"raw_details,omitempty"`
}

// CheckRuns returns the newest check runs with a given name for a commit. If app is 0, they may be from any app.
// Otherwise, they are from the app with this ID.
func (c *Client) CheckRuns(ctx context.Context, repo, sha, check string, app int64) ([]CheckRun, error) {
	var answer struct {
		Runs []struct {
			CheckRun
			Output struct{} `json:"output"`
			App    struct {
				ID int64 `json:"id"`
			} `json:"app"`
		} `json:"check_runs"`
	}
	if err := CheckRef(sha); err != nil {
		return nil, err
	}
	err := c.get(ctx, repo, fmt.Sprintf("commits/%s/check-runs?check_name=%s&filter=latest&per_page=%d",
		url.PathEscape(sha), url.QueryEscape(check), perPage), "read checks", "checks: read", &answer)
	var list []CheckRun
	for _, r := range answer.Runs {
		if app == 0 || r.App.ID == app {
			list = append(list, r.CheckRun)
		}
	}
	return list, err
}

// CreateCheck adds a check run, with up to MaxAnnotations annotations.
func (c *Client) CreateCheck(ctx context.Context, repo string, check CheckRun) (int64, error) {
	return c.sendCheck(ctx, http.MethodPost, repo, "check-runs", check)
}

// UpdateCheck changes a check run. New annotations are added to the existing annotations.
func (c *Client) UpdateCheck(ctx context.Context, repo string, check CheckRun) error {
	path := fmt.Sprintf("check-runs/%d", check.ID)
	check.ID, check.HeadSHA = 0, ""
	_, err := c.sendCheck(ctx, http.MethodPatch, repo, path, check)
	return err
}

func (c *Client) sendCheck(ctx context.Context, method, repo, path string, check CheckRun) (int64, error) {
	of, err := pathOf(repo)
	if err != nil {
		return 0, err
	}
	var answer struct {
		ID int64 `json:"id"`
	}
	err = c.do(ctx, method, of+"/"+path, check, &answer)
	return answer.ID, withPermission(err, repo, "write checks", writesChecks)
}

// JobAnnotations returns the annotations of a job's check run, at most a thousand.
func (c *Client) JobAnnotations(ctx context.Context, repo string, checkRun int64) ([]Annotation, error) {
	var all []Annotation
	for page := 1; page <= 10; page++ {
		var some []Annotation
		if err := c.get(ctx, repo, fmt.Sprintf("check-runs/%d/annotations?per_page=%d&page=%d", checkRun, perPage, page),
			"read annotations", "checks: read", &some); err != nil {
			return nil, err
		}
		all = append(all, some...)
		if len(some) < perPage {
			break
		}
	}
	return all, nil
}
