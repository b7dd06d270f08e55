package step

import (
	"slices"
	"strings"
)

// This file holds what is known of programs. Switches cost nothing when the program starts.

// oneOf reports whether a word is in a list that is separated by blanks.
func oneOf(word, list string) bool {
	return word != "" && slices.Contains(strings.Fields(list), word)
}

// unwrapped returns a command without the programs in front that only start it: sudo, env A=b,
// timeout 10. The directory is that of env -C.
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
		words, dir = inner(words, valued, operands, dir)
		if len(words) > 1 && isNumber(words[0]) { // retry 3 make
			words = words[1:]
		}
	}
}

// inner returns the command that a wrapper starts.
func inner(words []string, valued string, operands int, dir string) ([]string, string) {
	i := 1
	for ; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "--":
			return words[min(len(words), i+1+operands):], dir
		case strings.HasPrefix(w, "-") && len(w) > 1:
			if oneOf(w, valued) && i+1 < len(words) {
				i++
			}
			if w == "-C" || w == "--chdir" {
				dir = join(dir, words[i])
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

// isAssignment reports whether a word is NAME=value.
func isAssignment(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	return ok && name != "" &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" && !isNumber(name[:1])
}

// wrapper reports whether a program only starts the command that follows: its flags with a value,
// and the number of its own operands.
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
	case "dotenv":
		return "-e -c -v -p -f --env", 0, true
	case "xvfb-run":
		return "-e -f -n -p -s -w --error-file --auth-file --server-num --xauth-protocol --server-args --wait", 0, true
	case "xargs", "gxargs":
		return "-I -n -P -L -d -E -s -a -R -S --max-args --max-procs --max-lines --delimiter --arg-file --max-chars", 0, true
	case "parallel":
		return "-j -I -n -N -a --jobs --arg-file --joblog --retries --timeout --delay", 0, true
	case "flock":
		return "-w -E --timeout --wait --conflict-exit-code", 1, true
	case "taskset", "gosu", "su-exec":
		return "", 1, true
	case "numactl":
		return "-N -m -C --cpunodebind --membind --physcpubind", 0, true
	case "strace", "ltrace":
		return "-o -e -p -s -u -E -a", 0, true
	case "retry":
		return "-t -d -m -n --times --delay", 0, true
	}
	return "", 0, false
}

// runnerOf returns the command that a tool such as npx or bundle exec runs, nil for other programs.
func runnerOf(program string, args []string) []string {
	valued, skip := "", 0
	verb, rest := verbOf(program, args)
	switch program {
	case "npx", "bunx", "pnpx":
		valued, rest = "-p --package -c --call -w --workspace --prefix --cache --registry", args
	case "uvx":
		valued, rest = "--from --with -p --python", args
	case "uv", "poetry", "pipenv", "pdm", "hatch", "rye", "pipx", "conda", "mamba", "micromamba", "doppler", "op", "pixi":
		if verb != "run" {
			return nil
		}
		valued = "--with --with-requirements --with-editable -p --python --group --extra --only-group --no-group " +
			"--env-file -n --name --prefix --cwd " +
			"-C --directory --project --package --spec --pip-args --index --index-url -e --environment"
	case "bundle", "composer", "asdf", "rbenv", "pyenv", "nodenv", "opam":
		if verb != "exec" {
			return nil
		}
	case "corepack":
		if !oneOf(withoutVersion(verb), "npm pnpm yarn") {
			return nil
		}
		rest = args
	case "direnv":
		if verb != "exec" {
			return nil
		}
		skip = 1
	case "mise":
		if verb != "exec" && verb != "x" {
			return nil
		}
	case "rustup":
		if verb != "run" {
			return nil
		}
		skip = 1
	case "npm", "pnpm", "yarn", "bun":
		if !oneOf(verb, "exec x dlx") {
			return nil
		}
		valued = "-p --package -c --call -w --workspace --filter -F"
	case "go":
		if verb != "tool" || len(rest) == 0 || oneOf(rest[0], "cover pprof trace compile link vet asm cgo objdump nm dist") {
			return nil
		}
	default:
		return nil
	}
	rest, _ = inner(append([]string{program}, rest...), valued, skip, ".")
	if len(rest) == 0 {
		return nil
	}
	return slices.Clone(rest)
}

// verbOf returns the first operand of a command, and what follows it.
func verbOf(program string, args []string) (string, []string) {
	for i := 0; i < len(args); i++ {
		if !strings.HasPrefix(args[i], "-") {
			return args[i], args[i+1:]
		}
		if !strings.Contains(args[i], "=") && (takesValue(program, args[i]) || dirFlag(program, args[i])) {
			i++
		}
	}
	return "", nil
}

// takesTargets reports whether all operands of a program say what it does.
func takesTargets(program string) bool {
	return oneOf(program,
		"make gmake bmake mingw32-make nmake just task rake gradle gradlew mvn mvnw mvnd ninja ant mage invoke inv sbt lein")
}

// subcommands returns how many operands belong to the name of a command.
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
		if verb == "workspace" {
			return 3
		}
	case "docker", "podman":
		two = "compose buildx image container volume network system"
	case "go":
		two = "mod tool work"
	case "cargo":
		two = "nextest make xtask"
	case "deno":
		two = "task"
	case "nx", "turbo", "lerna", "composer", "moon":
		two = "run run-script run-many"
	case "uv":
		two = "pip tool"
	case "dotnet":
		two = "tool ef nuget"
	case "git":
		two = "submodule"
	case "gh", "aws", "gcloud", "az":
		return 2
	case "terraform", "tofu", "kubectl", "helm", "pip", "pip3", "poetry", "pipenv", "pdm", "hatch",
		"rye", "conda", "mamba",
		"swift", "flutter", "dart", "mix", "rebar3", "stack", "cabal", "zig", "meson", "pre-commit", "ruff", "biome",
		"playwright", "cypress", "prisma", "ng", "vite", "next", "nuxt", "svelte-kit", "astro", "expo", "rails", "manage.py",
		"setup.py", "artisan", "console",
		"django-admin", "bazel", "bazelisk", "buck2", "pants", "plz", "earthly", "dagger", "brew", "apt-get", "apt",
		"apk", "yum", "dnf", "nix",
		"pulumi", "sam", "cdk", "serverless", "hugo", "mkdocs", "buf", "sqlx", "diesel", "dbt", "alembic", "forge", "truffle",
		"hardhat", "anchor",
		"poe", "fab", "molecule", "packer", "vagrant", "xcodebuild", "fastlane", "pod", "bundle", "gem", "rustup",
		"cross", "wasm-pack", "trunk", "changeset",
		"x.py", "waf", "scons", "docker-compose", "skaffold", "tilt", "act", "semgrep", "trivy", "snyk", "grunt", "gulp",
		"wp", "symfony", "tauri", "electron-builder",
		"ansible-galaxy", "goreleaser", "ko", "crystal", "shards", "nimble", "dune", "opam", "elm", "spago", "rebar",
		"hatchling", "flit", "twine", "mise", "asdf", "react-scripts":
		return 1
	default:
		return 0
	}
	if oneOf(verb, two) {
		return 2
	}
	return 1
}

// takesValue reports whether a flag of a program is followed by its value.
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
		return oneOf(flag, "-f --justfile --dotenv-path --shell")
	case "task":
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
		return oneOf(flag, "-e --env -p --python --config-file --project")
	}
	return false
}

// dirFlag reports whether a flag of a program says where it runs.
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
	case "just", "task":
		return oneOf(flag, "-d --working-directory --dir")
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

// rankOf says how much a tool with its operands says of what a step is for.
func rankOf(program string, operands []string) rank {
	verb := ""
	if len(operands) > 0 {
		verb = operands[0]
	}
	switch program {
	case "set", "cd", "pushd", "popd", "export", "unset", "alias", "local", "declare", "readonly", "source", ".",
		"eval", "trap", "ulimit", "umask", "shopt", "read":
		return setting
	case "echo", "printf", "cat", "head", "tail", "true", "false", ":", "[", "[[", "test", "which", "type", "hash",
		"command", "exit", "return", "wait", "sleep", "pwd", "date", "whoami", "id",
		"uname", "hostname", "nproc", "free", "df", "ls", "tree", "yes", "shift", "let", "break", "continue", "if",
		"then", "else", "fi", "for", "do", "done", "case", "esac", "while",
		"param", "Write-Host", "Set-Location", "Push-Location", "rem", "@echo", "setlocal", "getopts", "dirname", "basename",
		"tee", "kill", "disown":
		return idle
	case "mkdir", "cp", "mv", "rm", "ln", "chmod", "chown", "touch", "grep", "sed", "awk", "cut", "sort", "uniq",
		"tr", "wc", "find", "fd", "rsync", "scp",
		"curl", "wget", "tar", "unzip", "gunzip", "gzip", "zip", "jq", "apt", "apt-get", "apk", "yum", "dnf", "brew", "choco",
		"winget", "snap", "pacman",
		"git", "nvm", "fnm", "volta", "corepack", "rustup", "virtualenv", "venv", "activate", "configure", "autogen.sh",
		"autoreconf", "cmake", "envsubst", "systemctl", "service",
		"ssh-add", "ssh-keyscan", "gpg", "update-alternatives", "locale-gen", "ccache", "sccache", "install", "ensurepip",
		"mktemp", "realpath":
		return setup
	case "pip", "pip3", "gem", "poetry", "pipenv", "pdm", "uv", "conda", "mamba", "bundle", "composer", "npm", "pnpm",
		"yarn", "bun", "go", "cargo", "dotnet", "rye", "hatch", "mix", "pod",
		"docker", "podman", "terraform", "tofu", "helm", "gh", "nix":
		if oneOf(verb, "install i ci add update sync lock restore get download fetch pull login init config cache set "+
			"env create version --version tool mod deps.get") {
			return setup
		}
		if verb == "" && oneOf(program, "yarn bundle") {
			return setup
		}
	}
	return work
}
