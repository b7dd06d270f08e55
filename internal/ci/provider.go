package ci

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/blq-ci/blq/internal/github/event"
	"github.com/blq-ci/blq/store"
)

// env reads an environment variable.
type env func(string) string

func (e env) number(name string) int {
	n, _ := strconv.Atoi(e(name))
	return n
}

// branch returns the branch in the value of a variable, without refs/heads/. It returns "" for the ref of a tag or of a
// pull request.
func (e env) branch(name string) string { return event.Branch(e(name)) }

// provider is a CI system. The field mark names an environment variable that the system sets. Only the variable of the
// generic system is also set by other systems. facts returns the facts of the system about a job.
type provider struct {
	name, mark string
	facts      func(env, func(string) ([]byte, error)) store.CI
	// copy and copies are names of environment variables. Some systems run parallel copies of a job under one name. The
	// variable copy has the number of the present copy, and copies has the number of all copies. Both names are "" for
	// other systems.
	copy, copies string
}

// providers are the known CI systems. The generic system must stay last, because most systems set its variable CI, too.
var providers = []provider{
	{name: "github", mark: "GITHUB_ACTIONS", facts: github},
	{name: "gitlab", mark: "GITLAB_CI", facts: gitlab},
	{"circleci", "CIRCLECI", circleci, "CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL"},
	{"buildkite", "BUILDKITE", buildkite, "BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT"},
	{"azure", "TF_BUILD", azure, "SYSTEM_JOBPOSITIONINPHASE", "SYSTEM_TOTALJOBSINPHASE"},
	{name: "travis", mark: "TRAVIS", facts: travis},
	{name: "jenkins", mark: "JENKINS_URL", facts: jenkins},
	{name: "generic", mark: "CI", facts: func(env, func(string) ([]byte, error)) store.CI { return store.CI{} }},
}

// These variables have facts that the CI system does not provide. JobFile is a file in blq's folder of the job. It has
// the values of MatrixVariable and CheckRunVariable, for steps without these variables.
const (
	MatrixVariable   = "BLQ_MATRIX"
	CheckRunVariable = "BLQ_CHECK_RUN_ID"
	StepVariable     = "BLQ_STEP_ID" // set for one step only
	JobFile          = "job.json"
)

// CI returns the CI system's facts about this job, or nil outside CI. getenv reads the environment. readFile reads
// JobFile, and the file with the event that started the job.
func CI(getenv func(string) string, readFile func(string) ([]byte, error)) *store.CI {
	for _, p := range providers {
		if mark := getenv(p.mark); mark == "" || strings.EqualFold(mark, "false") || mark == "0" {
			continue
		}
		ci := p.facts(getenv, readFile)
		ci.Provider = p.name
		more := ofJob(getenv, readFile)
		ci.Matrix = withCopy(more(MatrixVariable), p.copyOf(getenv))
		if (store.Run{CI: &ci}).Leg() == "" { // no matrix: it is null on GitHub, and {} on other systems
			ci.Matrix = ""
		}
		ci.CheckRunID = more(CheckRunVariable)
		return &ci
	}
	return nil
}

// copyOf returns the number of the job's copy. It returns "" if the job has only one copy.
func (p provider) copyOf(e env) string {
	if p.copy == "" || e.number(p.copies) < 2 {
		return ""
	}
	return e(p.copy)
}

// withCopy adds the number of a job's copy to the job's matrix leg.
func withCopy(leg, number string) string {
	if number == "" {
		return leg
	}
	values := map[string]any{}
	if err := json.Unmarshal([]byte(leg), &values); err != nil || values == nil {
		values = map[string]any{}
		if leg = strings.TrimSpace(leg); leg != "" && leg != "null" {
			values["leg"] = leg
		}
	}
	values["parallel"] = number
	text, err := json.Marshal(values)
	if err != nil {
		return leg
	}
	return string(text)
}

// ofJob returns a function that looks up a variable in the environment. If the variable is not set there, the function
// looks it up in JobFile.
func ofJob(getenv env, readFile func(string) ([]byte, error)) env {
	noted := map[string]string{}
	if temp := getenv("RUNNER_TEMP"); temp != "" {
		if text, err := readFile(filepath.Join(temp, "blq", JobFile)); err == nil {
			_ = json.Unmarshal(text, &noted) // the file may belong to another program
		}
	}
	return func(name string) string { return cmp.Or(getenv(name), noted[name]) }
}

// gitlab returns the facts of GitLab CI. See https://docs.gitlab.com/ci/variables/predefined_variables/.
func gitlab(e env, _ func(string) ([]byte, error)) store.CI {
	ci := store.CI{
		Repo:      e("CI_PROJECT_PATH"),
		Workflow:  e("CI_PIPELINE_NAME"),
		Job:       e("CI_JOB_NAME"),
		RunID:     e("CI_PIPELINE_ID"),
		EventName: e("CI_PIPELINE_SOURCE"),
		Actor:     e("GITLAB_USER_LOGIN"),
		HeadSHA:   e("CI_COMMIT_SHA"),
		HeadRef:   e("CI_COMMIT_BRANCH"),
		URL:       e("CI_JOB_URL"),
	}
	for _, kind := range []struct{ prefix, from, to string }{
		{"CI_MERGE_REQUEST_", "SOURCE_PROJECT_PATH", "PROJECT_PATH"},
		{"CI_EXTERNAL_PULL_REQUEST_", "SOURCE_REPOSITORY", "TARGET_REPOSITORY"},
	} {
		if ci.PR = e.number(kind.prefix + "IID"); ci.PR == 0 {
			continue
		}
		// This variable is set only if the job builds the merge of both branches.
		ci.HeadSHA = cmp.Or(e(kind.prefix+"SOURCE_BRANCH_SHA"), ci.HeadSHA)
		ci.HeadRef = e(kind.prefix + "SOURCE_BRANCH_NAME")
		ci.BaseRef = e(kind.prefix + "TARGET_BRANCH_NAME")
		ci.BaseSHA = cmp.Or(e(kind.prefix+"TARGET_BRANCH_SHA"), e(kind.prefix+"DIFF_BASE_SHA"))
		ci.Fork = e(kind.prefix+kind.from) != e(kind.prefix+kind.to)
		break
	}
	return ci
}

// jenkins returns the facts of Jenkins. See
// https://www.jenkins.io/doc/book/pipeline/jenkinsfile/#using-environment-variables and the list at /env-vars.html of
// each server. Multibranch projects set the variables CHANGE_… in builds of pull requests.
func jenkins(e env, _ func(string) ([]byte, error)) store.CI {
	ci := store.CI{
		Repo:     repoName(e("GIT_URL")),
		Workflow: e("JOB_NAME"),
		Job:      e("STAGE_NAME"),
		RunID:    cmp.Or(e("BUILD_TAG"), e("BUILD_ID")),
		HeadSHA:  e("GIT_COMMIT"),
		PR:       e.number("CHANGE_ID"),
		URL:      e("BUILD_URL"),
	}
	if e("CHANGE_ID") != "" {
		ci.EventName = "pull_request"
		ci.HeadRef = cmp.Or(e("CHANGE_BRANCH"), e("BRANCH_NAME"))
		ci.BaseRef = e("CHANGE_TARGET")
		ci.Fork = e("CHANGE_FORK") != ""
		ci.Actor = e("CHANGE_AUTHOR")
	} else if e("TAG_NAME") == "" {
		ci.HeadRef = cmp.Or(e("BRANCH_NAME"), strings.TrimPrefix(e.branch("GIT_BRANCH"), "origin/"))
	}
	return ci
}

// circleci returns the facts of CircleCI. See https://circleci.com/docs/reference/variables/.
func circleci(e env, _ func(string) ([]byte, error)) store.CI {
	ci := store.CI{
		Job:     e("CIRCLE_JOB"),
		RunID:   e("CIRCLE_WORKFLOW_ID"),
		Actor:   e("CIRCLE_USERNAME"),
		HeadSHA: e("CIRCLE_SHA1"),
		HeadRef: e("CIRCLE_BRANCH"),
		PR:      cmp.Or(e.number("CIRCLE_PR_NUMBER"), lastNumber(e("CIRCLE_PULL_REQUEST"))),
		Fork:    e("CIRCLE_PR_USERNAME") != "" && e("CIRCLE_PR_USERNAME") != e("CIRCLE_PROJECT_USERNAME"),
		URL:     e("CIRCLE_BUILD_URL"),
	}
	if owner, name := e("CIRCLE_PROJECT_USERNAME"), e("CIRCLE_PROJECT_REPONAME"); owner != "" && name != "" {
		ci.Repo = owner + "/" + name
	}
	return ci
}

// lastNumber returns the number at the end of a pull request's URL.
func lastNumber(url string) int {
	n, _ := strconv.Atoi(url[strings.LastIndexByte(url, '/')+1:])
	return n
}

// buildkite returns the facts of Buildkite. See https://buildkite.com/docs/pipelines/configure/environment-variables.
func buildkite(e env, _ func(string) ([]byte, error)) store.CI {
	ci := store.CI{
		Repo:       repoName(e("BUILDKITE_REPO")),
		Workflow:   cmp.Or(e("BUILDKITE_PIPELINE_NAME"), e("BUILDKITE_PIPELINE_SLUG")),
		Job:        cmp.Or(e("BUILDKITE_STEP_KEY"), e("BUILDKITE_LABEL")),
		RunID:      e("BUILDKITE_BUILD_ID"),
		RunAttempt: e.number("BUILDKITE_RETRY_COUNT") + 1,
		EventName:  e("BUILDKITE_SOURCE"),
		Actor:      e("BUILDKITE_BUILD_CREATOR"),
		HeadRef:    e("BUILDKITE_BRANCH"),
		PR:         e.number("BUILDKITE_PULL_REQUEST"), // "false" outside of a pull request
		URL:        e("BUILDKITE_BUILD_URL"),
	}
	if sha := e("BUILDKITE_COMMIT"); sha != "HEAD" {
		ci.HeadSHA = sha
	}
	if e("BUILDKITE_TAG") != "" {
		ci.HeadRef = ""
	}
	if ci.PR > 0 {
		from := repoName(e("BUILDKITE_PULL_REQUEST_REPO"))
		ci.Fork = from != "" && !strings.EqualFold(from, ci.Repo)
		ci.BaseRef = e("BUILDKITE_PULL_REQUEST_BASE_BRANCH")
	}
	return ci
}

// azure returns the facts of Azure Pipelines. See https://learn.microsoft.com/azure/devops/pipelines/build/variables.
func azure(e env, _ func(string) ([]byte, error)) store.CI {
	ci := store.CI{
		Repo:       e("BUILD_REPOSITORY_NAME"),
		Workflow:   e("BUILD_DEFINITIONNAME"),
		Job:        inStage(e("SYSTEM_STAGENAME"), cmp.Or(e("SYSTEM_JOBNAME"), e("SYSTEM_JOBDISPLAYNAME"))),
		RunID:      e("BUILD_BUILDID"),
		RunAttempt: e.number("SYSTEM_JOBATTEMPT"),
		EventName:  e("BUILD_REASON"),
		Actor:      e("BUILD_REQUESTEDFOR"),
		// For a pull request at GitHub, the number and the ID differ. GitHub shows only the number to people.
		PR:      cmp.Or(e.number("SYSTEM_PULLREQUEST_PULLREQUESTNUMBER"), e.number("SYSTEM_PULLREQUEST_PULLREQUESTID")),
		HeadSHA: e("BUILD_SOURCEVERSION"),
		HeadRef: e.branch("BUILD_SOURCEBRANCH"),
	}
	if ci.PR > 0 {
		ci.HeadSHA = e("SYSTEM_PULLREQUEST_SOURCECOMMITID") // the build's own commit is the merge commit
		ci.HeadRef = e.branch("SYSTEM_PULLREQUEST_SOURCEBRANCH")
		ci.BaseRef = e.branch("SYSTEM_PULLREQUEST_TARGETBRANCH")
		ci.Fork = strings.EqualFold(e("SYSTEM_PULLREQUEST_ISFORK"), "true")
	}
	if server := cmp.Or(e("SYSTEM_COLLECTIONURI"), e("SYSTEM_TEAMFOUNDATIONCOLLECTIONURI")); server != "" {
		ci.URL = strings.TrimSuffix(server, "/") + "/" + strings.ReplaceAll(e("SYSTEM_TEAMPROJECT"), " ", "%20") +
			"/_build/results?buildId=" + ci.RunID
	}
	return ci
}

// inStage returns the name of a job with the name of its stage. Jobs of two stages may have the same name. If the file
// of a pipeline has no stages, Azure names the only stage __default. inStage leaves out this name.
func inStage(stage, job string) string {
	if stage == "" || stage == "__default" || job == "" {
		return job
	}
	return stage + "/" + job
}

// travis returns the facts of Travis CI. See
// https://docs.travis-ci.com/user/environment-variables/#default-environment-variables.
func travis(e env, _ func(string) ([]byte, error)) store.CI {
	ci := store.CI{
		Repo:      e("TRAVIS_REPO_SLUG"),
		Job:       cmp.Or(e("TRAVIS_JOB_NAME"), travisJob(e("TRAVIS_JOB_NUMBER"))),
		RunID:     e("TRAVIS_BUILD_ID"),
		EventName: e("TRAVIS_EVENT_TYPE"),
		HeadSHA:   e("TRAVIS_COMMIT"),
		HeadRef:   e("TRAVIS_BRANCH"),
		PR:        e.number("TRAVIS_PULL_REQUEST"), // "false" outside of a pull request
		URL:       cmp.Or(e("TRAVIS_JOB_WEB_URL"), e("TRAVIS_BUILD_WEB_URL")),
	}
	switch {
	case ci.PR > 0:
		ci.HeadSHA = e("TRAVIS_PULL_REQUEST_SHA")
		ci.HeadRef = e("TRAVIS_PULL_REQUEST_BRANCH")
		ci.BaseRef = e("TRAVIS_BRANCH")
		ci.Fork = e("TRAVIS_PULL_REQUEST_SLUG") != ci.Repo
	case e("TRAVIS_TAG") != "":
		ci.HeadRef = ""
	}
	return ci
}

// travisJob returns the number of a job in its build: 2 for 60.2. It leaves out the number of the build, 60, because a
// job must have the same name in each build.
func travisJob(number string) string { return number[strings.LastIndexByte(number, '.')+1:] }
