// Package admin draws the pages of operators and their fragments.
//
// A run's page is made of pieces (RunPieces), each with a hash of what it shows, so a browser asks for the changed
// ones only.
package admin
