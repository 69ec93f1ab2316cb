// Package images has the images that companies keep: pictures from elsewhere, re-encoded so that nothing but the
// picture is left. Its invariant: a stored file never changes, for its name is the SHA-256 of its content. Start at
// Convert.
//
// Convert reads the size that a picture declares, decodes it, and encodes it anew (of a GIF it decodes only the
// blocks that it counted): JPEG from lossy sources, turned as its EXIF says; GIF with its frames; PNG otherwise.
// The table image has a row for each company that keeps a picture. The small copy has its width in its address and
// in its file's name, so what an address returns never changes.
package images
