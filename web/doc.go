// Package web speaks HTTP. Its invariant: every route is in one table, routes.go; start there. What answers stands in
// rooms by audience, which never import one another: pages for people, admin for operators, public for strangers,
// api for programs. They share respond (pages and fragments, forms, sessions, the only place an error becomes a
// status) and streams (responses that may take long).
//
// Here are the server, its middleware, metrics and health. Unsafe requests from other sites are refused by
// http.CrossOriginProtection.
package web
