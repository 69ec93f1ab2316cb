// Package web speaks HTTP. Its invariant: every route is in one table, routes.go; start there. Handlers are in one
// package per audience, which never import one another: pages for members, admin for operators, public for strangers,
// api for programs. They share respond (pages and fragments, forms, sessions, the only place an error becomes a status)
// and streams (responses that may take long).
//
// Here are the server, its middleware, metrics and health. http.CrossOriginProtection refuses unsafe requests from
// other sites.
package web
