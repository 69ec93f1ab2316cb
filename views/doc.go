// Package views draws pages and their fragments in templ. Its invariant: a component is a pure function of its
// props, and one component renders an element on the page, in a fragment and out of band. Start at props.go (what
// pages are drawn from), paths.go (URLs) and dom.go (element ids).
//
// A run's page is made of pieces (RunPieces), each with a hash of what it shows, so a browser asks for the changed
// ones only.
package views
