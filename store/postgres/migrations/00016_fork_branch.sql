-- +goose Up

-- The name of a fork's branch contains its pull request. So nobody confuses it with the repository's own branch of that
-- name.
UPDATE runs
SET git_branch = CASE WHEN pr > 0 THEN 'pull/' || pr ELSE 'fork' END || ':' || git_branch
WHERE fork AND git_branch <> '' AND position(':' IN git_branch) = 0;
