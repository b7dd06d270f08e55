package auth

var (
	Actions      = actions
	Routes       = routes
	Kinds        = kinds
	TokenPattern = tokenPattern
)
