package main

import (
	"syscall"

	"github.com/counterfoil/counterfoil/web/streams"
)

// otherFiles is how many files a server may open beside its streams: connections to the database and of requests that
// are answered at once, stored files.
const otherFiles = 1000

// streamLimits leaves room for everything else where the process may open few files.
func (e environment) streamLimits() (streams.Limits, error) {
	ofCompany, err := e.streamsOfCompany()
	if err != nil {
		return streams.Limits{}, err
	}
	limits := streams.Limits{OfCompany: ofCompany}
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil || files.Cur >= streams.DefaultMost+otherFiles {
		return limits, nil //nolint:nilerr // the limit is not known
	}
	limits.Most = max(int(files.Cur)-otherFiles, int(files.Cur)/2, 1)
	e.logger().Warn("this process may open few files, so few browsers and readers can wait for changes at once: raise the "+
		"limit (ulimit -n, LimitNOFILE= of systemd)", "files", files.Cur, "needed", streams.DefaultMost+otherFiles,
		"streams", limits.Most)
	return limits, nil
}
