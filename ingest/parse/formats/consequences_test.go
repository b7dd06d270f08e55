package formats

import (
	"slices"
	"strings"
	"testing"
)

// actionsJob returns the log of a job of GitHub Actions with one step. The lines begin with a header and end with what
// the runner says.
func actionsJob(lines ...string) string {
	const at = "2026-03-04T12:00:00.0000000Z "
	return at + strings.Join(lines, "\n"+at) + "\n" + at + "Post job cleanup.\n"
}

// Some lines only report what follows from the failure above them.
func TestConsequencesOfTheLinesAbove(t *testing.T) {
	action := []string{"##[group]Run a/lint@v1", "with:", "  token: ***", "##[endgroup]"}
	for _, tt := range []struct {
		name, log string
		want      []string
	}{
		{"an action's words about a program's exit", actionsJob(append(action, "##[group]lint",
			"  Error: can't load config: gci is a formatter", "##[endgroup]", "##[error]lint exit with code 3")...),
			[]string{"Error: can't load config: gci is a formatter"}},
		{"a command that an action ran", actionsJob(append(action, "uploads all files",
			"HTTP 403: no right to write (https://a.test)", "##[error]Command failed: bash upload.sh")...),
			[]string{"HTTP 403: no right to write (https://a.test)"}},
		{"an exit alone", actionsJob(append(action, "##[error]Command failed: bash upload.sh")...),
			[]string{"Command failed: bash upload.sh"}},
		{"a program in Rust", actionsJob(append(action, "Well, this is embarrassing.", "",
			"wheels had a problem and crashed. To help us diagnose the problem you can send us a crash report.", "",
			"Thank you kindly!", "##[error]The process 'wheels' failed with exit code 101")...), []string{"wheels crashed"}},
		{"a step of a docker build", travisJob("docker build .", "#9 [3/4] RUN ./check\n#9 0.312 The list of files is not "+
			"up to date\n#9 ERROR: process \"/bin/sh -c ./check\" did not complete successfully: exit code: 1\n", 1), []string{
			"The list of files is not up to date",
			"process \"/bin/sh -c ./check\" did not complete successfully: exit code: 1"}},
		{"a cluster", travisJob("kind create cluster", "Creating cluster \"kind\" ...\n ✗ Starting control-plane\n"+
			"ERROR: failed to create cluster: failed to init node with kubeadm: exit status 1\n"+
			"couldn't initialize a Kubernetes cluster\n", 1),
			[]string{"failed to create cluster: failed to init node with kubeadm: exit status 1"}},
		{"an option of scalac", travisJob("sbt compile", "[error] bad option: '-Ypartial'\n"+
			"[error] (a/compile:compileIncremental) Compilation failed\n[error] Total time: 31 s, completed Mar 9, 2017\n", 1),
			[]string{"bad option: '-Ypartial'"}},
		{"fastlane", travisJob("fastlane beta", "[05:02:29]: ▸ xcodebuild: error: Found no destinations for the scheme 'A'\n"+
			"[05:02:29]: Exit status: 70\n[!] Error building the application - see the log above\n", 1),
			[]string{"Found no destinations for the scheme 'A'"}},
		{"vitest with a reporter of its own", travisJob("npm test", "Unhandled POST request to http://localhost/a\n"+
			" Test Files  56 passed (56)\n\nVitest caught 1 unhandled error during the test run.\n{\n  stack: 'undefined',\n}\n",
			1), []string{"Vitest caught 1 unhandled error during the test run."}},
		{"a package of Julia", travisJob("julia a.jl", "ERROR: LoadError: ArgumentError: Package B is required\n"+
			"in expression starting at /a/B.jl:3\nERROR: LoadError: Failed to precompile C [e37daf67]\n"+
			"ERROR: LoadError: Failed to precompile D [76f85450]\n", 1), []string{"ArgumentError: Package B is required"}},
		{"Julia's own tests", travisJob("make testall", "Test Failed at /a/test/pre.jl:1435\n  Expression: a() == 1\n"+
			"   Evaluated: 2 == 1\n\nERROR: LoadError: Test run finished with errors\n"+
			"in expression starting at /a/test/runtests.jl:97\n", 1),
			[]string{"a() == 1 | Expression: a() == 1\nEvaluated: 2 == 1"}},
		{"HTML-Proofer", travisJob("htmlproofer .", "- ./a.html\n  *  linking to internal hash # that does not exist "+
			"(line 5)\n     <a href=\"#\">a</a>\nhtmlproofer 3.8.0 | Error:  HTML-Proofer found 1 failure!\n", 1),
			[]string{"linking to internal hash # that does not exist"}},
		{"HTML-Proofer in a task", travisJob("rake test", "- ./a.html\n  *  linking to internal hash # that does not "+
			"exist (line 5)\nrake aborted!\nHTML-Proofer found 1 failure!\n/a/Rakefile:12:in `block in <top "+
			"(required)>'\nTasks: TOP => test\n(See full trace by running task with --trace)\n", 1),
			[]string{"linking to internal hash # that does not exist"}},
		{"Ant's results with blanks", travisJob("ant test", "Testsuite: a.FilesTest\nTests run: 1, Failures: 1, Errors: 0, "+
			"Time elapsed: 0.1 sec\nTestcase: sum(a.FilesTest):       FAILED\nexpected:<42> but was:<2>\n"+
			"junit.framework.AssertionFailedError: expected:<42> but was:<2>\n        at a.FilesTest.sum(FilesTest.java:5)\n"+
			"Test a.FilesTest FAILED\n", 1), []string{"a.FilesTest.sum | expected:<42> but was:<2>"}},
		{"Kotlin for devices", travisJob("./gradlew build", "> Task :compileKotlinIosArm64 FAILED\n"+
			"e: file:///a/b/Utils.kt:5:8 Unresolved reference 'platform'.\n\nFAILURE: Build failed with an exception.\n\n"+
			"* What went wrong:\nExecution failed for task ':compileKotlinIosArm64'.\n> Compilation finished with errors\n", 1),
			[]string{"Unresolved reference 'platform'."}},
	} {
		if got := errorsOf(tt.log); !slices.Equal(got, tt.want) {
			t.Errorf("%s: errors %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Some tools print plain words, which must be found far from the end of a step, too.
func TestPlainWordsOfTools(t *testing.T) {
	far := strings.Repeat("copying a part to out\n", 120)
	for _, tt := range []struct {
		name, output string
		want         []string
	}{
		{"mamba", "Mamba failed to solve:\n - gsl 2.7.*\n - fftw * nompi*\n\nwith channels:\n",
			[]string{"Mamba failed to solve: - gsl 2.7.* - fftw * nompi*"}},
		{"an old cargo", "Package `typenum v0.0.1 (file:///a)` does not have these features: `unstable`\n",
			[]string{"Package `typenum v0.0.1 (file:///a)` does not have these features: `unstable`"}},
		{"cargo", "error: Package `a v0.1.0 (/a)` does not have feature `b`\n",
			[]string{"Package `a v0.1.0 (/a)` does not have feature `b`"}},
		{"pub", "Package validation found the following potential issue:\n* `dart analyze` found the following issue(s):\n",
			[]string{"package validation: * `dart analyze` found the following issue(s):"}},
	} {
		if got := errorsOf(travisJob("./x", tt.output+far, 1)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: errors %q, want %q", tt.name, got, tt.want)
		}
	}
}
