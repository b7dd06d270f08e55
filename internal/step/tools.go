package step

import (
	"slices"
	"strings"

	"github.com/blq-ci/blq/internal/shellword"
)

// This file describes programs. It uses switch statements instead of maps, because maps would be built at each
// start.

// oneOf reports whether a word is in a space-separated list.
func oneOf(word, list string) bool {
	return word != "" && slices.Contains(strings.Fields(list), word)
}

// unwrapped returns a command without leading programs that only start the command, such as sudo, env A=b and timeout
// 10. dir is the directory that flags of these programs set, such as env -C, or "." for none.
func unwrapped(words []string) (rest []string, dir string) {
	dir = "."
	for {
		for len(words) > 0 && isAssignment(words[0]) {
			words = words[1:]
		}
		if len(words) == 0 {
			return nil, dir
		}
		valued, operands, ok := wrapper(programOf(words[0]))
		if !ok {
			return words, dir
		}
		if script, _ := scriptOf(words); script != "" || isLookup(words) {
			return words, dir
		}
		if programOf(words[0]) == "setarch" && !hasArch(words) {
			operands = 0
		}
		words, dir = inner(words, valued, operands, dir)
		if len(words) > 1 && isNumber(words[0]) { // retry 3 make
			words = words[1:]
		}
	}
}

// isLookup reports whether a command only looks up a program: command -v go.
func isLookup(words []string) bool {
	return programOf(words[0]) == "command" && len(words) > 1 && oneOf(words[1], "-v -V")
}

// hasArch reports whether the first operand of setarch is an architecture.
func hasArch(words []string) bool {
	for _, w := range words[1:] {
		if !strings.HasPrefix(w, "-") {
			return strings.HasPrefix(w, "$") || oneOf(w, "x86_64 i386 i486 i586 i686 aarch64 arm armv7l armv8l arm64 "+
				"linux32 linux64 ppc ppc64 ppc64le s390 s390x mips mips64 riscv64 uname26")
		}
	}
	return false
}

// inner returns the command that a wrapper starts, and the directory of that command. The parameter valued has the
// flags of the wrapper that take a value. The parameter operands is the number of the wrapper's own operands. dir is
// the directory of the wrapper.
func inner(words []string, valued string, operands int, dir string) ([]string, string) {
	i := 1
	for ; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "--":
			return words[min(len(words), i+1+operands):], dir
		case programOf(words[0]) == "env" && splitFlag(w) != "":
			line := strings.TrimPrefix(strings.TrimPrefix(w, splitFlag(w)), "=")
			rest := words[i+1:]
			if line == "" && len(rest) > 0 {
				line, rest = rest[0], rest[1:]
			}
			if list, ok := shellword.Split(line); ok {
				return inner(append(append([]string{"env"}, list...), rest...), valued, operands, dir)
			}
		case strings.HasPrefix(w, "-") && len(w) > 1:
			flag, value, attached := strings.Cut(w, "=")
			if !attached && oneOf(w, valued) && i+1 < len(words) {
				i++
				value = words[i]
			}
			if value != "" && oneOf(flag, dirFlagsOf(programOf(words[0]))) {
				dir = join(dir, value)
			}
		case isAssignment(w):
		case operands > 0:
			operands--
		default:
			return words[i:], dir
		}
	}
	return nil, dir
}

// splitFlag returns the flag -S of env at the beginning of a word, or another form of this flag. With this flag, env
// splits a text into words: env -S 'make test'. splitFlag returns "" if the word does not begin with such a flag.
func splitFlag(w string) string {
	for _, flag := range []string{"-S", "-vS", "-iS", "--split-string"} {
		if strings.HasPrefix(w, flag) {
			return flag
		}
	}
	return ""
}

// dirFlagsOf returns the flags of a wrapper that set the directory of its command.
func dirFlagsOf(program string) string {
	switch program {
	case "env":
		return "-C --chdir"
	case "sudo":
		return "-D --chdir"
	case "unshare":
		return "-w --wd"
	case "systemd-run":
		return "--working-directory"
	}
	return ""
}

// isAssignment reports whether a word is NAME=value.
func isAssignment(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	return ok && name != "" &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" && !isNumber(name[:1])
}

// wrapper reports whether a program only starts another command. The result valued has the flags of the wrapper that
// take a value. The result operands is the number of the wrapper's own operands.
func wrapper(program string) (valued string, operands int, ok bool) {
	switch program {
	case "sudo", "doas":
		return "-u -g -h -p -C -T -U -r -t -D -R --user --group --host --prompt --chdir --other-user --close-from", 0, true
	case "env":
		return "-u --unset -C --chdir", 0, true
	case "time", "gtime":
		return "-f -o --format --output", 0, true
	case "timeout", "gtimeout":
		return "-s --signal -k --kill-after", 1, true
	case "nice":
		return "-n --adjustment", 0, true
	case "ionice":
		return "-c -n -p -P -u --class --classdata", 0, true
	case "chrt":
		return "-T -P -D", 1, true
	case "stdbuf":
		return "-i -o -e --input --output --error", 0, true
	case "exec":
		return "-a", 0, true
	case "nohup", "setsid", "command", "builtin", "chronic", "unbuffer", "catchsegv", "cross-env", "cross-env-shell",
		"winpty", "fakeroot", "dumb-init", "tini", "caffeinate", "busybox", "!", "with-contenv", "eatmydata":
		return "", 0, true
	case "xvfb-run":
		return "-e -f -n -p -s -w --error-file --auth-file --server-num --xauth-protocol --server-args --wait", 0, true
	case "xargs", "gxargs":
		return "-I -n -P -L -d -E -s -a -R -S --max-args --max-procs --max-lines --delimiter --arg-file --max-chars", 0, true
	case "flock":
		return "-w -E --timeout --wait --conflict-exit-code", 1, true
	case "dbus-run-session":
		return "--config-file --dbus-daemon", 0, true
	case "valgrind":
		return "", 0, true
	case "taskset", "gosu", "su-exec", "setarch", "faketime":
		return "", 1, true
	case "chroot":
		return "--userspec --groups", 1, true
	case "unshare":
		return "-S -G -R -w --setuid --setgid --map-user --map-group --root --wd --propagation", 0, true
	case "runuser":
		return "-u -g -G -s --user --group --shell", 0, true
	case "systemd-run":
		return "-p -E -u -M -H --property --setenv --unit --uid --gid --slice --description --nice --working-directory " +
			"--machine --host", 0, true
	case "systemd-inhibit":
		return "--what --who --why --mode", 0, true
	case "linux32", "linux64", "entr", "vault-env":
		return "", 0, true
	case "watchexec":
		return "-e -w -f -i -d -s --exts --watch --filter --ignore --debounce --signal", 0, true
	case "envconsul":
		return "-prefix -secret -config -consul-addr", 0, true
	case "numactl":
		return "-N -m -C --cpunodebind --membind --physcpubind", 0, true
	case "strace", "ltrace":
		return "-o -e -p -s -u -E -a", 0, true
	case "retry":
		return "-t -d -m -n --times --delay", 0, true
	}
	return "", 0, false
}

// takesTargets reports whether all operands of a program are targets.
func takesTargets(program string) bool {
	return oneOf(program,
		"make gmake bmake mingw32-make nmake just task go-task rake "+
			"gradle gradlew mvn mvnw mvnd ninja ant mage invoke inv sbt lein")
}

// subcommands returns the max number of operands that belong to the name of a command.
func subcommands(program string, operands []string) int {
	if takesTargets(program) {
		return 3
	}
	verb := ""
	if len(operands) > 0 {
		verb = operands[0]
	}
	two := ""
	switch program {
	case "npm", "pnpm", "yarn", "bun":
		two = "run run-script workspace pm"
		switch verb {
		case "workspace":
			return 3
		case "workspaces":
			return 4 // foreach run test
		}
	case "docker", "podman":
		two = "compose buildx image container volume network system"
	case "go":
		two = "mod tool work"
	case "cargo":
		two = "nextest make xtask"
	case "deno":
		two = "task"
	case "nx", "turbo":
		return 4
	case "lerna", "composer", "moon":
		two = "run run-script"
	case "dagger", "devbox", "pixi", "hatch", "pdm", "pipenv", "rye":
		two = "call run"
	case "rtk":
		return 2
	case "nix":
		two = "run build"
	case "bazel", "bazelisk":
		two = "run"
	case "mise":
		two = "run r"
	case "uv":
		two = "pip tool"
	case "dotnet":
		two = "tool ef nuget"
	case "git":
		two = "submodule"
	case "gh", "aws", "gcloud", "az":
		return 2
	case "terraform", "tofu", "kubectl", "helm", "pip", "pip3", "poetry", "conda", "mamba",
		"swift", "flutter", "dart", "mix", "rebar3", "stack", "cabal", "zig", "meson", "pre-commit", "ruff", "biome",
		"playwright", "cypress", "prisma", "ng", "vite", "next", "nuxt", "svelte-kit", "astro", "expo", "rails", "manage.py",
		"setup.py", "artisan", "console",
		"django-admin", "buck2", "pants", "plz", "earthly", "brew", "apt-get", "apt",
		"apk", "yum", "dnf",
		"pulumi", "sam", "cdk", "serverless", "hugo", "mkdocs", "buf", "sqlx", "diesel", "dbt", "alembic", "forge", "truffle",
		"hardhat", "anchor",
		"poe", "fab", "molecule", "packer", "vagrant", "xcodebuild", "fastlane", "pod", "bundle", "gem", "rustup",
		"cross", "wasm-pack", "trunk", "changeset",
		"x.py", "waf", "scons", "docker-compose", "skaffold", "tilt", "act", "semgrep", "trivy", "snyk", "grunt", "gulp",
		"wp", "symfony", "tauri", "electron-builder",
		"ansible-galaxy", "goreleaser", "ko", "crystal", "shards", "nimble", "dune", "opam", "elm", "spago", "rebar",
		"hatchling", "flit", "twine", "asdf", "react-scripts":
		return 1
	default:
		return 0
	}
	if oneOf(verb, two) {
		return 2
	}
	return 1
}

// takesValue reports whether the next word is the value of a program's flag.
func takesValue(program, flag string) bool {
	switch program {
	case "make", "gmake":
		return oneOf(flag, "-f -I -o -W --file --makefile --include-dir --old-file --what-if")
	case "ninja":
		return oneOf(flag, "-C -f -k -d -t")
	case "mvn", "mvnw", "mvnd":
		return oneOf(flag, "-pl -s -gs -P -T -t -gt -l -rf -b --projects --settings --activate-profiles --threads "+
			"--log-file --resume-from --toolchains -D --define")
	case "gradle", "gradlew":
		return oneOf(flag, "-x -b -c -g -I -D -P --exclude-task --console --tests --max-workers --init-script "+
			"--include-build --gradle-user-home")
	case "npm", "pnpm", "yarn", "bun":
		return oneOf(flag, "-w --workspace --filter -F --loglevel --reporter --registry --config")
	case "docker", "podman", "docker-compose":
		return oneOf(
			flag, "-H --host -c --context --config -l --log-level -f --file -p --project-name --profile --env-file --progress")
	case "git":
		return oneOf(flag, "-c --git-dir --work-tree")
	case "kubectl", "helm":
		return oneOf(flag, "-n --namespace --context --kubeconfig --kube-context")
	case "cargo":
		return oneOf(flag, "--config --color -Z --manifest-path")
	case "just":
		return oneOf(flag, "-f --justfile --dotenv-path --shell --set")
	case "nx", "turbo", "lerna", "moon":
		return oneOf(flag, "--scope --ignore --filter --concurrency --exclude -p --projects -c --configuration --base "+
			"--head --parallel")
	case "earthly":
		return oneOf(flag, "--secret --secret-file --build-arg --buildkit-host --platform --artifact -a "+
			"--config --env-file-path")
	case "dagger":
		return oneOf(flag, "-m --mod --progress --source")
	case "act":
		return oneOf(flag, "-W --workflows -j --job -P --platform -s --secret --secret-file -e --eventpath --env --env-file "+
			"-C --directory --matrix --var --input -b --artifact-server-path --container-architecture")
	case "pixi", "devbox":
		return oneOf(flag, "-e --environment --manifest-path -c --config")
	case "nix":
		return oneOf(flag, "-I -f --file --option --system --override-input")
	case "mage":
		return oneOf(flag, "-t -goos -goarch -compile -w")
	case "op", "doppler", "infisical", "aws-vault", "chamber", "teller", "dotenvx", "dotenv":
		return oneOf(flag, "-p --project -c --config -e --env --env-file -f --file --path --token --account -d --duration "+
			"--region --projectId --scope --domain -b --backend")
	case "task", "go-task":
		return oneOf(flag, "-t --taskfile -o --output -C --concurrency")
	case "rake", "ant":
		return oneOf(flag, "-f --rakefile -buildfile -I -r")
	case "bazel", "bazelisk":
		return oneOf(flag, "--output_base --bazelrc --output_user_root")
	case "node", "nodejs", "tsx", "ts-node":
		return oneOf(flag, "-r --require --import --loader -C --conditions --env-file -P --project")
	case "ruby", "perl":
		return oneOf(flag, "-I -r -C")
	case "php":
		return oneOf(flag, "-d -c")
	case "xcodebuild":
		return oneOf(
			flag, "-scheme -project -workspace -destination -configuration -sdk -derivedDataPath -resultBundlePath -testPlan")
	case "uv", "poetry", "pdm", "pipenv", "hatch", "rye", "conda":
		return oneOf(flag, "-n --name -e --env -p --python --config-file --project")
	}
	return false
}

// dirFlag reports whether a flag of a program sets its directory.
func dirFlag(program, flag string) bool {
	switch program {
	case "make", "gmake", "git", "go", "rake":
		return oneOf(flag, "-C --directory")
	case "npm":
		return oneOf(flag, "--prefix -C")
	case "pnpm":
		return oneOf(flag, "-C --dir")
	case "yarn", "bun":
		return oneOf(flag, "--cwd")
	case "mvn", "mvnw", "mvnd":
		return oneOf(flag, "-f --file")
	case "gradle", "gradlew":
		return oneOf(flag, "-p --project-dir")
	case "uv":
		return oneOf(flag, "--directory --project")
	case "poetry":
		return oneOf(flag, "-C --directory -P --project")
	case "pdm":
		return oneOf(flag, "-p --project")
	case "cargo":
		return oneOf(flag, "--manifest-path -C")
	case "just", "task", "go-task":
		return oneOf(flag, "-d --working-directory --dir")
	case "mage":
		return flag == "-d"
	case "pixi":
		return flag == "--manifest-path"
	case "devbox":
		return oneOf(flag, "-c --config")
	case "act":
		return oneOf(flag, "-C --directory")
	case "composer":
		return oneOf(flag, "-d --working-dir")
	case "terraform", "tofu":
		return oneOf(flag, "-chdir")
	case "conda":
		return oneOf(flag, "--cwd")
	case "docker-compose":
		return oneOf(flag, "--project-directory")
	}
	return false
}
