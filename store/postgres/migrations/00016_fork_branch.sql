-- +goose Up

-- A fork's branch is named with its pull request, so that it is not taken for the repository's own of that name.
UPDATE runs
SET git_branch = CASE WHEN pr > 0 THEN 'pull/' || pr ELSE 'fork' END || ':' || git_branch
WHERE fork AND git_branch <> '' AND position(':' IN git_branch) = 0;
