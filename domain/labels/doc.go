// Package labels has the labels of a company: each is of all its boards, or of one. A label that is renamed leaves its
// old name, and one that is merged leads to another: both go on working. Start at label.go.
package labels
