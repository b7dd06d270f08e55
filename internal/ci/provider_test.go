package ci

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/blq-ci/blq/store"
)

// vars parses lines of NAME=value.
func vars(text string) func(string) string {
	m := map[string]string{}
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			m[k] = v
		}
	}
	return func(name string) string { return m[name] }
}

func TestCI(t *testing.T) {
	seen := map[string]bool{}
	for _, test := range ciTests {
		t.Run(test.name, func(t *testing.T) {
			got := CI(vars(test.env), func(path string) ([]byte, error) {
				if path != "/event.json" {
					return nil, errors.New("no such file")
				}
				return []byte(test.event), nil
			})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
		if test.want != nil {
			seen[test.want.Provider] = true
		}
	}
	for _, p := range providers {
		if !seen[p.name] {
			t.Errorf("%s has no test", p.name)
		}
	}
}

const githubEnv = `
	CI=true
	GITHUB_ACTIONS=true
	GITHUB_REPOSITORY=octo/hello
	GITHUB_WORKFLOW=CI
	GITHUB_JOB=build
	GITHUB_RUN_ID=1658821493
	GITHUB_RUN_ATTEMPT=1
	GITHUB_ACTOR=ada
	GITHUB_SERVER_URL=https://github.com
	GITHUB_SHA=aaaa
	GITHUB_EVENT_PATH=/event.json
`

func onGitHub(change func(*store.CI)) *store.CI {
	ci := store.CI{
		Provider: "github", Repo: "octo/hello", Workflow: "CI", Job: "build", RunID: "1658821493", RunAttempt: 1,
		Actor: "ada", URL: "https://github.com/octo/hello/actions/runs/1658821493",
	}
	change(&ci)
	return &ci
}

var ciTests = []struct {
	name, env, event string
	want             *store.CI
}{
	{name: "no CI", env: "HOME=/root\nCI=false"},
	{name: "generic", env: "CI=1\nBLQ_MATRIX={\"os\":\"linux\"}\nBLQ_CHECK_RUN_ID=9",
		want: &store.CI{Provider: "generic", Matrix: `{"os":"linux"}`, CheckRunID: "9"}},
	{
		name:  "github push",
		env:   githubEnv + "GITHUB_EVENT_NAME=push\nGITHUB_REF=refs/heads/feature/x\nGITHUB_RUN_ATTEMPT=3",
		event: `{"ref":"refs/heads/feature/x","after":"aaaa"}`,
		want: onGitHub(func(ci *store.CI) {
			ci.EventName, ci.HeadSHA, ci.HeadRef = "push", "aaaa", "feature/x"
			ci.RunAttempt, ci.URL = 3, ci.URL+"/attempts/3"
		}),
	},
	{
		name: "github tag",
		env:  githubEnv + "GITHUB_EVENT_NAME=push\nGITHUB_REF=refs/tags/v1",
		want: onGitHub(func(ci *store.CI) { ci.EventName, ci.HeadSHA = "push", "aaaa" }),
	},
	{
		name: "github pull request",
		env: githubEnv +
			"GITHUB_EVENT_NAME=pull_request\nGITHUB_REF=refs/pull/7/merge\nGITHUB_HEAD_REF=topic\nGITHUB_BASE_REF=main",
		event: `{"number":7,"pull_request":{"number":7,"head":{"ref":"topic","sha":"hhhh","repo":{"full_name":"octo/hello"}},"base":{"ref":"main","sha":"bbbb","repo":{"full_name":"octo/hello"}}}}`,
		want: onGitHub(func(ci *store.CI) {
			ci.EventName, ci.PR, ci.HeadSHA, ci.HeadRef, ci.BaseSHA, ci.BaseRef = "pull_request", 7, "hhhh", "topic",
				"bbbb", "main"
		}),
	},
	{
		name: "github pull request of a fork",
		env: githubEnv +
			"GITHUB_EVENT_NAME=pull_request_target\nGITHUB_REF=refs/heads/main\nGITHUB_HEAD_REF=main\nGITHUB_BASE_REF=main",
		event: `{"pull_request":{"number":8,"head":{"ref":"main","sha":"hhhh","repo":{"full_name":"eve/hello"}},"base":{"ref":"main","sha":"bbbb","repo":{"full_name":"octo/hello"}}}}`,
		want: onGitHub(func(ci *store.CI) {
			ci.EventName, ci.PR, ci.HeadSHA, ci.HeadRef, ci.BaseSHA, ci.BaseRef, ci.Fork = "pull_request_target", 8, "hhhh",
				"main", "bbbb", "main", true
		}),
	},
	{
		name:  "github pull request of a deleted fork",
		env:   githubEnv + "GITHUB_EVENT_NAME=pull_request",
		event: `{"pull_request":{"number":8,"head":{"ref":"x","sha":"hhhh","repo":null},"base":{"ref":"main","sha":"bbbb","repo":{"full_name":"octo/hello"}}}}`,
		want: onGitHub(func(ci *store.CI) {
			ci.EventName, ci.PR, ci.HeadSHA, ci.HeadRef, ci.BaseSHA, ci.BaseRef, ci.Fork = "pull_request", 8, "hhhh",
				"x", "bbbb", "main", true
		}),
	},
	{
		name: "github pull request without its event",
		env: githubEnv +
			"GITHUB_EVENT_NAME=pull_request\nGITHUB_REF=refs/pull/7/merge\nGITHUB_HEAD_REF=topic\nGITHUB_BASE_REF=main",
		event: `{"pull_request":{"number":"seven"`,
		want: onGitHub(func(ci *store.CI) {
			ci.EventName, ci.PR, ci.HeadRef, ci.BaseRef, ci.Fork = "pull_request", 7, "topic", "main", true
		}),
	},
	{
		name:  "github merge queue",
		env:   githubEnv + "GITHUB_EVENT_NAME=merge_group\nGITHUB_REF=refs/heads/gh-readonly-queue/main/pr-12-cccc",
		event: `{"action":"checks_requested","merge_group":{"head_sha":"aaaa","head_ref":"refs/heads/gh-readonly-queue/main/pr-12-cccc","base_sha":"cccc","base_ref":"refs/heads/main"}}`,
		want: onGitHub(func(ci *store.CI) {
			ci.EventName, ci.PR, ci.HeadSHA, ci.HeadRef = "merge_group", 12, "aaaa", "gh-readonly-queue/main/pr-12-cccc"
			ci.BaseSHA, ci.BaseRef = "cccc", "main"
		}),
	},
	{
		name:  "github workflow run after a fork's",
		env:   githubEnv + "GITHUB_EVENT_NAME=workflow_run\nGITHUB_REF=refs/heads/main",
		event: `{"workflow_run":{"head_sha":"hhhh","head_branch":"patch-1","head_repository":{"full_name":"eve/hello"},"repository":{"full_name":"octo/hello"},"pull_requests":[]}}`,
		want: onGitHub(func(ci *store.CI) {
			ci.EventName, ci.HeadSHA, ci.HeadRef, ci.Fork = "workflow_run", "hhhh", "patch-1", true
		}),
	},
	{
		name:  "github workflow run",
		env:   githubEnv + "GITHUB_EVENT_NAME=workflow_run\nGITHUB_REF=refs/heads/main",
		event: `{"workflow_run":{"head_sha":"hhhh","head_branch":"topic","head_repository":{"full_name":"octo/hello"},"repository":{"full_name":"octo/hello"},"pull_requests":[{"number":5,"head":{"ref":"topic","sha":"hhhh","repo":{"id":1}},"base":{"ref":"main","sha":"bbbb","repo":{"id":1}}}]}}`,
		want: onGitHub(func(ci *store.CI) {
			ci.EventName, ci.HeadSHA, ci.HeadRef, ci.PR, ci.BaseRef, ci.BaseSHA = "workflow_run", "hhhh", "topic", 5,
				"main", "bbbb"
		}),
	},
	{
		name:  "github comment on a pull request",
		env:   githubEnv + "GITHUB_EVENT_NAME=issue_comment\nGITHUB_REF=refs/heads/main",
		event: `{"issue":{"number":4,"pull_request":{"url":"https://api.github.com/repos/octo/hello/pulls/4"}},"comment":{"body":"/test"}}`,
		want:  onGitHub(func(ci *store.CI) { ci.EventName, ci.PR, ci.Fork = "issue_comment", 4, true }),
	},
	{
		name:  "github comment on an issue",
		env:   githubEnv + "GITHUB_EVENT_NAME=issue_comment\nGITHUB_REF=refs/heads/main",
		event: `{"issue":{"number":4}}`,
		want:  onGitHub(func(ci *store.CI) { ci.EventName, ci.HeadSHA, ci.HeadRef = "issue_comment", "aaaa", "main" }),
	},
	{
		name: "gitlab branch",
		env: `CI=true
			GITLAB_CI=true
			CI_PROJECT_PATH=group/sub/project
			CI_PIPELINE_NAME=Nightly
			CI_PIPELINE_ID=1000
			CI_PIPELINE_SOURCE=push
			CI_JOB_NAME=spec:other
			CI_JOB_URL=https://gitlab.com/group/sub/project/-/jobs/50
			CI_COMMIT_SHA=aaaa
			CI_COMMIT_BRANCH=main
			CI_COMMIT_REF_NAME=main
			GITLAB_USER_LOGIN=ada`,
		want: &store.CI{Provider: "gitlab", Repo: "group/sub/project", Workflow: "Nightly", RunID: "1000", EventName: "push",
			Job: "spec:other", URL: "https://gitlab.com/group/sub/project/-/jobs/50", HeadSHA: "aaaa", HeadRef: "main",
			Actor: "ada"},
	},
	{
		name: "gitlab merged results of a fork",
		env: `GITLAB_CI=true
			CI_PROJECT_PATH=group/project
			CI_PIPELINE_SOURCE=merge_request_event
			CI_COMMIT_SHA=mmmm
			CI_COMMIT_REF_NAME=topic
			CI_MERGE_REQUEST_IID=3
			CI_MERGE_REQUEST_PROJECT_PATH=group/project
			CI_MERGE_REQUEST_SOURCE_PROJECT_PATH=eve/project
			CI_MERGE_REQUEST_SOURCE_BRANCH_NAME=topic
			CI_MERGE_REQUEST_SOURCE_BRANCH_SHA=hhhh
			CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main
			CI_MERGE_REQUEST_TARGET_BRANCH_SHA=bbbb
			CI_MERGE_REQUEST_DIFF_BASE_SHA=dddd`,
		want: &store.CI{Provider: "gitlab", Repo: "group/project", EventName: "merge_request_event", PR: 3, HeadSHA: "hhhh",
			HeadRef: "topic",
			BaseRef: "main", BaseSHA: "bbbb", Fork: true},
	},
	{
		name: "gitlab merge request",
		env: `GITLAB_CI=true
			CI_PROJECT_PATH=group/project
			CI_COMMIT_SHA=hhhh
			CI_MERGE_REQUEST_IID=3
			CI_MERGE_REQUEST_PROJECT_PATH=group/project
			CI_MERGE_REQUEST_SOURCE_PROJECT_PATH=group/project
			CI_MERGE_REQUEST_SOURCE_BRANCH_NAME=topic
			CI_MERGE_REQUEST_SOURCE_BRANCH_SHA=
			CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main
			CI_MERGE_REQUEST_DIFF_BASE_SHA=dddd`,
		want: &store.CI{Provider: "gitlab", Repo: "group/project", PR: 3, HeadSHA: "hhhh", HeadRef: "topic", BaseRef: "main",
			BaseSHA: "dddd"},
	},
	{
		name: "jenkins",
		env: `JENKINS_URL=https://jenkins.example/
			JOB_NAME=hello
			STAGE_NAME=Build
			BUILD_TAG=jenkins-hello-12
			BUILD_ID=12
			BUILD_URL=https://jenkins.example/job/hello/12/
			GIT_COMMIT=aaaa
			GIT_BRANCH=origin/main
			GIT_URL=https://github.com/octo/hello.git`,
		want: &store.CI{Provider: "jenkins", Repo: "octo/hello", Workflow: "hello", Job: "Build", RunID: "jenkins-hello-12",
			HeadSHA: "aaaa", HeadRef: "main", URL: "https://jenkins.example/job/hello/12/"},
	},
	{
		name: "jenkins multibranch pull request",
		env: `CI=true
			JENKINS_URL=https://jenkins.example/
			JOB_NAME=hello/PR-24
			BUILD_ID=2
			BRANCH_NAME=PR-24
			CHANGE_ID=24
			CHANGE_BRANCH=topic
			CHANGE_TARGET=main
			CHANGE_FORK=eve
			CHANGE_AUTHOR=eve
			GIT_COMMIT=aaaa`,
		want: &store.CI{Provider: "jenkins", Workflow: "hello/PR-24", RunID: "2", EventName: "pull_request", PR: 24,
			HeadSHA: "aaaa",
			HeadRef: "topic", BaseRef: "main", Fork: true, Actor: "eve"},
	},
	{
		name: "circleci",
		env: `CI=true
			CIRCLECI=true
			CIRCLE_PROJECT_USERNAME=octo
			CIRCLE_PROJECT_REPONAME=hello
			CIRCLE_JOB=test
			CIRCLE_WORKFLOW_ID=1f2e
			CIRCLE_USERNAME=ada
			CIRCLE_SHA1=aaaa
			CIRCLE_BRANCH=topic
			CIRCLE_PULL_REQUEST=https://github.com/octo/hello/pull/31
			CIRCLE_BUILD_URL=https://circleci.com/gh/octo/hello/100`,
		want: &store.CI{Provider: "circleci", Repo: "octo/hello", Job: "test", RunID: "1f2e", Actor: "ada", HeadSHA: "aaaa",
			HeadRef: "topic",
			PR:      31, URL: "https://circleci.com/gh/octo/hello/100"},
	},
	{
		name: "circleci in parallel",
		env: `CIRCLECI=true
			CIRCLE_JOB=test
			CIRCLE_NODE_TOTAL=4
			CIRCLE_NODE_INDEX=3`,
		want: &store.CI{Provider: "circleci", Job: "test", Matrix: `{"parallel":"3"}`},
	},
	{
		name: "circleci on one node",
		env: `CIRCLECI=true
			CIRCLE_JOB=test
			CIRCLE_NODE_TOTAL=1
			CIRCLE_NODE_INDEX=0`,
		want: &store.CI{Provider: "circleci", Job: "test"},
	},
	{
		name: "circleci fork",
		env: `CIRCLECI=true
			CIRCLE_PROJECT_USERNAME=octo
			CIRCLE_PROJECT_REPONAME=hello
			CIRCLE_SHA1=aaaa
			CIRCLE_BRANCH=pull/31
			CIRCLE_PR_NUMBER=31
			CIRCLE_PR_USERNAME=eve
			CIRCLE_PR_REPONAME=hello`,
		want: &store.CI{Provider: "circleci", Repo: "octo/hello", HeadSHA: "aaaa", HeadRef: "pull/31", PR: 31, Fork: true},
	},
	{
		name: "buildkite",
		env: `CI=true
			BUILDKITE=true
			BUILDKITE_REPO=git@github.com:acme-inc/my-project.git
			BUILDKITE_PIPELINE_SLUG=my-project
			BUILDKITE_LABEL=:hammer: Specs
			BUILDKITE_BUILD_ID=9e08
			BUILDKITE_RETRY_COUNT=1
			BUILDKITE_SOURCE=webhook
			BUILDKITE_BUILD_CREATOR=Tracy Tester
			BUILDKITE_COMMIT=aaaa
			BUILDKITE_BRANCH=eve:topic
			BUILDKITE_PULL_REQUEST=123
			BUILDKITE_PULL_REQUEST_REPO=git://github.com/eve/my-project.git
			BUILDKITE_PULL_REQUEST_BASE_BRANCH=main
			BUILDKITE_BUILD_URL=https://buildkite.com/acme-inc/my-project/builds/1514`,
		want: &store.CI{Provider: "buildkite", Repo: "acme-inc/my-project", Workflow: "my-project", Job: ":hammer: Specs",
			RunID: "9e08", RunAttempt: 2,
			EventName: "webhook", Actor: "Tracy Tester", HeadSHA: "aaaa", HeadRef: "eve:topic", PR: 123, BaseRef: "main",
			Fork: true,
			URL:  "https://buildkite.com/acme-inc/my-project/builds/1514"},
	},
	{
		name: "buildkite in parallel",
		env: `BUILDKITE=true
			BUILDKITE_STEP_KEY=test
			BUILDKITE_PARALLEL_JOB=0
			BUILDKITE_PARALLEL_JOB_COUNT=2
			BLQ_MATRIX={"os":"linux"}`,
		want: &store.CI{Provider: "buildkite", Job: "test", RunAttempt: 1, Matrix: `{"os":"linux","parallel":"0"}`},
	},
	{
		name: "buildkite branch by hand",
		env: `BUILDKITE=true
			BUILDKITE_COMMIT=HEAD
			BUILDKITE_BRANCH=main
			BUILDKITE_PULL_REQUEST=false
			BUILDKITE_PULL_REQUEST_BASE_BRANCH=`,
		want: &store.CI{Provider: "buildkite", RunAttempt: 1, HeadRef: "main"},
	},
	{
		name: "azure pull request",
		env: `TF_BUILD=True
			BUILD_REPOSITORY_NAME=octo/hello
			BUILD_DEFINITIONNAME=hello
			BUILD_BUILDID=77
			BUILD_REASON=PullRequest
			BUILD_REQUESTEDFOR=Ada
			BUILD_SOURCEBRANCH=refs/pull/9/merge
			BUILD_SOURCEVERSION=mmmm
			SYSTEM_JOBNAME=Job
			SYSTEM_STAGENAME=__default
			SYSTEM_JOBATTEMPT=1
			SYSTEM_PULLREQUEST_PULLREQUESTID=4444
			SYSTEM_PULLREQUEST_PULLREQUESTNUMBER=9
			SYSTEM_PULLREQUEST_SOURCEBRANCH=refs/heads/topic
			SYSTEM_PULLREQUEST_TARGETBRANCH=main
			SYSTEM_PULLREQUEST_SOURCECOMMITID=hhhh
			SYSTEM_PULLREQUEST_ISFORK=True
			SYSTEM_COLLECTIONURI=https://dev.azure.com/octo/
			SYSTEM_TEAMPROJECT=My Project`,
		want: &store.CI{Provider: "azure", Repo: "octo/hello", Workflow: "hello", RunID: "77", EventName: "PullRequest",
			Actor: "Ada", Job: "Job",
			RunAttempt: 1, PR: 9, HeadSHA: "hhhh", HeadRef: "topic", BaseRef: "main", Fork: true,
			URL: "https://dev.azure.com/octo/My%20Project/_build/results?buildId=77"},
	},
	{
		name: "azure in parallel",
		env: `TF_BUILD=True
			SYSTEM_JOBNAME=Job
			SYSTEM_STAGENAME=Test
			SYSTEM_JOBPOSITIONINPHASE=2
			SYSTEM_TOTALJOBSINPHASE=2
			BLQ_MATRIX=linux`,
		want: &store.CI{Provider: "azure", Job: "Test/Job", Matrix: `{"leg":"linux","parallel":"2"}`},
	},
	{
		name: "azure branch",
		env: `TF_BUILD=True
			BUILD_BUILDID=78
			BUILD_SOURCEBRANCH=refs/heads/releases/1
			BUILD_SOURCEVERSION=aaaa
			SYSTEM_PULLREQUEST_PULLREQUESTID=$(System.PullRequest.PullRequestId)`,
		want: &store.CI{Provider: "azure", RunID: "78", HeadSHA: "aaaa", HeadRef: "releases/1"},
	},
	{
		name: "travis pull request",
		env: `CI=true
			TRAVIS=true
			TRAVIS_REPO_SLUG=octo/hello
			TRAVIS_JOB_NUMBER=60.1
			TRAVIS_BUILD_ID=468
			TRAVIS_EVENT_TYPE=pull_request
			TRAVIS_COMMIT=mmmm
			TRAVIS_BRANCH=main
			TRAVIS_PULL_REQUEST=21
			TRAVIS_PULL_REQUEST_SHA=hhhh
			TRAVIS_PULL_REQUEST_BRANCH=topic
			TRAVIS_PULL_REQUEST_SLUG=octo/hello
			TRAVIS_JOB_WEB_URL=https://travis-ci.com/octo/hello/jobs/469`,
		want: &store.CI{Provider: "travis", Repo: "octo/hello", Job: "1", RunID: "468", EventName: "pull_request",
			PR: 21, HeadSHA: "hhhh",
			HeadRef: "topic", BaseRef: "main", URL: "https://travis-ci.com/octo/hello/jobs/469"},
	},
	{
		name: "travis tag",
		env: `TRAVIS=true
			TRAVIS_COMMIT=aaaa
			TRAVIS_BRANCH=v1.0
			TRAVIS_TAG=v1.0
			TRAVIS_PULL_REQUEST=false`,
		want: &store.CI{Provider: "travis", HeadSHA: "aaaa"},
	},
}
