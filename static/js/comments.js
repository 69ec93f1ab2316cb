// A link to a comment that is not on the page leads to its page.
const wanted = location.hash.match(/^#comment-(\d+)$/)
if (wanted && document.getElementById('comments') && !document.getElementById(`comment-${wanted[1]}`) && !location.search.includes(`comment=${wanted[1]}`)) {
	location.replace(`${location.pathname}?comment=${wanted[1]}${location.hash}`)
}
