package views

// HasIcon reports whether there is an icon of that name.
func HasIcon(name string) bool { return icons[name] != "" }
