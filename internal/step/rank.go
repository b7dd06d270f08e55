package step

// rankOf returns how well a tool with its operands describes the purpose of a step.
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
		"tee", "kill", "disown", "seq":
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
	case "docker-compose":
		if oneOf(verb, "up down pull build create start stop ps logs rm") {
			return setup
		}
	case "pip", "pip3", "gem", "poetry", "pipenv", "pdm", "uv", "conda", "mamba", "bundle", "composer", "npm", "pnpm",
		"yarn", "bun", "go", "cargo", "dotnet", "rye", "hatch", "mix", "pod",
		"docker", "podman", "terraform", "tofu", "helm", "gh", "nix":
		if oneOf(verb, "install i ci add update sync lock restore get download fetch pull login init config cache set "+
			"env create version --version tool mod deps.get") {
			return setup
		}
		if verb == "compose" && len(operands) > 1 && oneOf(operands[1], "up down pull build create start stop ps logs rm") {
			return setup
		}
		if verb == "" && oneOf(program, "yarn bundle") {
			return setup
		}
	}
	return work
}
