package views

// hasIcon reports whether there is an icon of that name.
func hasIcon(name string) bool { return icons[name] != "" }
