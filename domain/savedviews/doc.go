// Package savedviews has the saved views of a company: each is a query of a board's tickets and a layout, under a name. It
// is its owner's, or shared with everyone who sees the board. A member pins views to the navigation. Start at view.go.
package savedviews
