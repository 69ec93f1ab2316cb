package admin

import "github.com/counterfoil/counterfoil/views"

// Setting is a variable of the environment and the value that the server uses, without what is secret in it.
type Setting struct {
	Name, Value string
	Given       bool // else it is the default
}

// SettingsProps are the settings of the server that answers.
type SettingsProps struct {
	Page     views.Page
	Settings []Setting
}
