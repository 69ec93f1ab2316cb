// Package views has what all pages share: the frame, form fields, icons, texts, and their props (props.go). URLs are
// made in paths.go and element ids in dom.go, nowhere else. Its invariant: a component is a pure function of its props,
// and one component renders an element on the page, in a fragment and out of band. The pages themselves are below it by
// audience, as in web: pages, admin, public, which never import one another.
package views
