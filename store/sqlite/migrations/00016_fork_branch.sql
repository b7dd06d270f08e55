-- The name of a fork's branch contains its pull request. So nobody confuses it with the repository's own branch of that
-- name.
UPDATE runs
SET git_branch = iif(pr > 0, 'pull/' || pr, 'fork') || ':' || git_branch
WHERE git_branch <> '' AND instr(git_branch, ':') = 0 AND ci IS NOT NULL AND json_extract(ci, '$.fork');
