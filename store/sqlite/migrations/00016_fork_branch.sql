-- A fork's branch is named with its pull request, so that it is not taken for the repository's own of that name.
UPDATE runs
SET git_branch = iif(pr > 0, 'pull/' || pr, 'fork') || ':' || git_branch
WHERE git_branch <> '' AND instr(git_branch, ':') = 0 AND ci IS NOT NULL AND json_extract(ci, '$.fork');
