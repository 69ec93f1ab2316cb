// Package images has the migration download-images: images that texts show from other hosts are downloaded,
// re-encoded, stored, and shown from here. Its invariant: of a text only the image's address changes, as an edit
// with its entry in the history. Start at download.go. Those of texts that are saved now are fetched by delivery.
//
// A task is one remote image of a text, at most 200 of one text in a run; each leaves two versions of the text in its
// history. Filling reads descriptions and comments by id, 500 at a time, and finds images by parsing (markup.Images):
// the parser's addresses are slices of the source, so markup.ReplaceImages changes exactly their bytes. An address is
// fetched through domain/outbound, whose dialer checks the IP address of every connection; a host that a redirect
// leads to is throttled like the first. A response whose Content-Type names something other than an image or bytes is
// not read.
//
// The file is stored under its SHA-256 before the transaction that completes the task, so a task that runs twice
// stores the same file twice, and two addresses with one picture have one file. In the transaction the current text is
// read under its ticket's lock, and only the address in it is replaced; a concurrent edit of the text merges with it
// as with any other. The row of the table picture that it writes, too, has the ticket's readers see the image, and
// texts of archived boards show it. Texts keep the address /{company}/images/{hash}; pages show …/{hash}/640, the small
// copy, as a link to the whole (markup.Pictures).
package images
