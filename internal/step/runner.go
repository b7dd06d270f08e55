package step

import (
	"slices"
	"strings"
)

// This file describes tools that run a command in a separate environment: npx, bundle exec, op run.

// runnerOf returns the command that a tool such as npx or bundle exec runs. It returns nil for other programs.
func runnerOf(program string, args []string) []string {
	verb, rest := verbOf(program, args)
	verbs, skip := verbsOf(program)
	switch {
	case program == "rtk":
		return slices.Clone(withoutVerb(args))
	case program == "nix":
		return commandOfNix(verb, args)
	case oneOf(program, "docker podman docker-compose"):
		return commandInContainer(append([]string{program}, args...))
	case program == "dotenv":
		rest = args[min(len(args), slices.Index(args, "run")+1):]
	case program == "corepack" && oneOf(withoutVersion(verb), "npm pnpm yarn"), oneOf(program, "npx bunx pnpx uvx"):
		rest = args
	case program == "go":
		if verb != "tool" || len(rest) == 0 || oneOf(rest[0], "cover pprof trace compile link vet asm cgo objdump nm dist") {
			return nil
		}
	case !oneOf(verb, verbs):
		return nil
	case skip == 0 && oneOf(program, "mise hatch"):
		for len(rest) > 0 && (strings.Contains(rest[0], "@") || strings.HasPrefix(rest[0], "+")) {
			rest = rest[1:] // node@20, +py=3.12
		}
	}
	rest, _ = inner(append([]string{program}, rest...), valuesOf(program), skip, ".")
	return slices.Clone(rest)
}

// verbsOf returns the subcommands with which a tool runs a command. skip is the number of words between the subcommand
// and the command.
func verbsOf(program string) (verbs string, skip int) {
	switch program {
	case "uv", "poetry", "pipenv", "pdm", "hatch", "rye", "pipx", "conda", "mamba", "micromamba", "doppler", "op", "pixi",
		"infisical", "dotenvx", "devbox", "teller", "dagger":
		return "run", 0
	case "bundle", "composer", "asdf", "rbenv", "pyenv", "nodenv", "opam", "lerna":
		return "exec", 0
	case "aws-vault", "chamber", "direnv":
		return "exec", 1
	case "rustup":
		return "run", 1
	case "mise":
		return "exec x", 0
	case "npm", "pnpm", "yarn", "bun":
		return "exec x dlx", 0
	}
	return "", 0
}

// valuesOf returns the flags with values that may come before the command.
func valuesOf(program string) string {
	switch program {
	case "npx", "bunx", "pnpx":
		return "-p --package -c --call -w --workspace --prefix --cache --registry"
	case "uvx":
		return "--from --with -p --python"
	case "npm", "pnpm", "yarn", "bun":
		return "-p --package -c --call -w --workspace --filter -F"
	case "op", "doppler", "infisical", "aws-vault", "chamber", "teller", "dotenvx", "dotenv":
		return "-p --project -c --config -e --env --env-file -f --file --path --token --account -d --duration " +
			"--region --projectId --scope --domain -b --backend"
	case "devbox":
		return "-c --config -e --env"
	case "bundle", "composer", "asdf", "rbenv", "pyenv", "nodenv", "opam", "lerna", "direnv", "rustup", "corepack", "go":
		return ""
	}
	return "--with --with-requirements --with-editable -p --python --group --extra --only-group --no-group " +
		"--env-file -n --name --prefix --cwd --manifest-path --config " +
		"-C --directory --project --package --spec --pip-args --index --index-url -e --environment"
}

// withoutVerb returns the command whose output rtk shortens. It returns nil for rtk's own subcommands.
func withoutVerb(args []string) []string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		args = args[1:]
	}
	switch {
	case len(args) > 1 && oneOf(args[0], "test err summary proxy run"):
		return args[1:]
	case len(args) == 0 || oneOf(args[0], "gain init config discover hook proxy"):
		return nil
	}
	return args
}

// commandOfNix returns the command that nix develop -c runs.
func commandOfNix(verb string, args []string) []string {
	if i := slices.IndexFunc(args, func(a string) bool { return a == "-c" || a == "--command" }); i >= 0 &&
		oneOf(verb, "develop shell") && i+1 < len(args) {
		return slices.Clone(args[i+1:])
	}
	return nil
}

// commandInContainer returns the command that docker exec, docker compose exec or docker compose run starts. It returns
// nil if there is none.
func commandInContainer(words []string) []string {
	verb, rest := verbOf(words[0], words[1:])
	composed := words[0] == "docker-compose"
	if verb == "compose" {
		composed = true
		verb, rest = verbOf("docker-compose", rest)
	}
	if verb != "exec" && (verb != "run" || !composed) {
		return nil
	}
	rest, _ = inner(append(words[:1:1], rest...), "-e -u -w -v -p -l --env --env-file --user --workdir --name --volume "+
		"--publish --entrypoint --label --index", 1, ".")
	return slices.Clone(rest)
}

// verbOf returns the first operand of a command, and the words after it.
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
