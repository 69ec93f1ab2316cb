// Package monitor measures runs and the database that bears them, throttles a run while a figure is over its limit, and
// pauses one in which too much fails. Its invariant: what it reads does not grow with a run's tasks. Start at watch.go,
// which the keeper calls, and statistics.go and health.go, which the pages show.
//
// The keeper checks every active run once a second (Watch). The throttle compares what the server says of
// itself, and the heartbeat on each replica, with the run's knobs: over a limit the run is throttled at once, and
// after three seconds within all of them it goes on; the figures of the reason are written without an event or a
// new version. The breaker (breaker.go) compares counters with those of earlier checks, and reads the last rows of
// migration_attempt only if there were errors, so it costs workers nothing. Counters are sampled every five
// seconds; rates and the ETA come from the last 180 samples and the present counters, never from tasks. The
// keeper's memory of a run is in its process: another keeper begins anew.
package monitor
