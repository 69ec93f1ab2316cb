// Package pages draws the pages of members and their fragments. Start at props.go.
package pages
