// A link to a comment that the page does not show leads to the page that does.
const wanted = location.hash.match(/^#comment-(\d+)$/)
if (wanted && document.getElementById('comments') && !document.getElementById(`comment-${wanted[1]}`) && !location.search.includes(`comment=${wanted[1]}`)) {
	location.replace(`${location.pathname}?comment=${wanted[1]}${location.hash}`)
}
