// Package files has the files of attachments. Each is stored once for its content, whoever sent it, with a row in
// stored_file. Start at Receive.
//
// A file is on the disk before its row is committed, and is deleted after the removal of its row is: what a crash leaves
// is a file without a row, which the next removal deletes. The name of a file has a random generation, which its row
// says, so an upload of the same content during a removal stores a file of another name. Both write the row, so of two
// at a time, on any servers, one comes first.
//
// Of pictures a copy made anew by the server is stored beside the file, with a small one. Only these are shown on pages.
package files
