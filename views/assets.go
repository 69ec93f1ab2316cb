package views

import "github.com/counterfoil/counterfoil/static"

func asset(name string) string { return static.Path(name) }
