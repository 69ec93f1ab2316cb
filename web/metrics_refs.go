package web

import (
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/counterfoil/counterfoil/domain/console"
	"github.com/counterfoil/counterfoil/domain/workflows"
)

// refMetrics asks the database for the state of reference codes. If it does not answer soon, only this process's own
// counts are there.
type refMetrics struct {
	console   *console.Console
	workflows *workflows.Workflows
}

var (
	refsAvailable = prometheus.NewDesc("counterfoil_refs_available", "Reference codes in the pool, by their length.",
		[]string{"length"}, nil)
	refsMinted = prometheus.NewDesc("counterfoil_refs_minted_total",
		"Reference codes that were ever minted or loaded, by their length.", []string{"length"}, nil)
	refsIssued = prometheus.NewDesc("counterfoil_refs_issued_total",
		"Reference codes that were popped, by their length.", []string{"length"}, nil)
	refsQuarantined = prometheus.NewDesc("counterfoil_refs_quarantined_total",
		"Reference codes in quarantine, by their length.", []string{"length"}, nil)
	refsRunway = prometheus.NewDesc("counterfoil_refs_runway_seconds",
		"How long the codes of the pool last at the recent rate; missing if none are popped.", nil, nil)
	refsCounted = prometheus.NewDesc("counterfoil_refs_counted_timestamp_seconds",
		"When all reference codes were counted last; missing before the first time.", nil, nil)
	refsOff = prometheus.NewDesc("counterfoil_refs_counters_off",
		"By how many reference codes the counters were wrong when these were counted last. They are mended unless the "+
			"tables disagree.", nil, nil)
	refsLost = prometheus.NewDesc("counterfoil_refs_tables_disagree",
		"About how many reference codes the tables disagreed when these were counted last: more than 0 is for counterfoil "+
			"verify.", nil, nil)
	refsPopped = prometheus.NewDesc("counterfoil_refs_popped_total", "Reference codes that this process popped.", nil,
		nil)
	codeLookups = prometheus.NewDesc("counterfoil_code_lookups_total",
		"Lookups of codes and private links in this process, by outcome: hit, miss, refused, or canary for a code "+
			"that was never popped, which is a miss, too.", []string{"outcome"}, nil)
	refsEmpties = prometheus.NewDesc("counterfoil_refs_empties_total",
		"Pops of this process that found too few codes.", nil, nil)
)

// Describe implements prometheus.Collector.
func (refMetrics) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{refsAvailable, refsMinted, refsIssued, refsQuarantined, refsRunway, refsCounted,
		refsOff, refsLost, refsPopped, refsEmpties, codeLookups} {
		descs <- d
	}
}

// Collect implements prometheus.Collector.
func (s refMetrics) Collect(metrics chan<- prometheus.Metric) {
	send := func(desc *prometheus.Desc, kind prometheus.ValueType, value float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(desc, kind, value, labels...)
	}
	popped, empties := s.console.RefTotals()
	send(refsPopped, prometheus.CounterValue, float64(popped))
	send(refsEmpties, prometheus.CounterValue, float64(empties))
	looks := s.workflows.Lookups()
	for outcome, n := range map[string]int64{"hit": looks.Hits, "miss": looks.Misses, "refused": looks.Refused,
		"canary": looks.Canaries} {
		send(codeLookups, prometheus.CounterValue, float64(n), outcome)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	standing, err := s.console.RefGauges(ctx)
	if err != nil {
		return
	}
	for _, l := range standing.ByLength {
		length := strconv.Itoa(l.Length)
		send(refsAvailable, prometheus.GaugeValue, float64(l.Available), length)
		send(refsMinted, prometheus.CounterValue, float64(l.Minted), length)
		send(refsIssued, prometheus.CounterValue, float64(l.Issued), length)
		send(refsQuarantined, prometheus.CounterValue, float64(l.Quarantined), length)
	}
	if c := standing.Recount; c.At != nil {
		send(refsCounted, prometheus.GaugeValue, float64(c.At.Unix()))
		send(refsOff, prometheus.GaugeValue, float64(c.Off))
		send(refsLost, prometheus.GaugeValue, float64(c.Lost))
	}
	if runway, ok := standing.Runway(); ok {
		send(refsRunway, prometheus.GaugeValue, runway.Seconds())
	}
}
