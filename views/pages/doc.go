// Package pages draws the pages of people and their fragments. Start at props.go.
package pages
