// Package admin draws the pages of operators and their fragments.
//
// A run's page has three live elements (static/js/live.js): the run, its settings, its tasks.
package admin
