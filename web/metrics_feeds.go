package web

import (
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/counterfoil/counterfoil/domain/console"
)

// feedMetrics asks the database for the state of feeds. If it does not answer soon, these metrics are missing.
type feedMetrics struct{ console *console.Console }

var (
	headGauge = prometheus.NewDesc("counterfoil_feed_position", "The last position that a feed published.",
		[]string{"feed"}, nil)
	horizonGauge = prometheus.NewDesc("counterfoil_feed_horizon",
		"The position up to which deletions may be forgotten.", []string{"feed"}, nil)
	newestGauge = prometheus.NewDesc("counterfoil_feed_newest_publish_timestamp_seconds",
		"When the feed's last batch was published.", []string{"feed"}, nil)
	unpublishedGauge = prometheus.NewDesc("counterfoil_feed_oldest_unpublished_seconds",
		"Age of the oldest unpublished change, as this process has seen it; 0 if there is none.", []string{"feed"},
		nil)
	lagRowsGauge = prometheus.NewDesc("counterfoil_feed_consumer_lag_positions",
		"Positions that a registered consumer is behind its feed; all of them if its cursor is of an earlier epoch.",
		[]string{"feed", "consumer"}, nil)
	lagSecondsGauge = prometheus.NewDesc("counterfoil_feed_consumer_lag_seconds",
		"Age of the oldest published change that a registered consumer has not read.", []string{"feed", "consumer"}, nil)
)

// Describe implements prometheus.Collector.
func (feedMetrics) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{headGauge, horizonGauge, newestGauge, unpublishedGauge, lagRowsGauge,
		lagSecondsGauge} {
		descs <- d
	}
}

// Collect implements prometheus.Collector.
func (s feedMetrics) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	states, consumers, err := s.console.FeedGauges(ctx)
	if err != nil {
		return
	}
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	for _, feed := range states {
		gauge(headGauge, float64(feed.Head), feed.Name)
		gauge(horizonGauge, float64(feed.Horizon), feed.Name)
		if feed.NewestPublish != nil {
			gauge(newestGauge, float64(feed.NewestPublish.UnixMilli())/1000, feed.Name)
		}
		if feed.OldestUnpublished != nil {
			gauge(unpublishedGauge, feed.OldestUnpublished.Seconds(), feed.Name)
		}
	}
	for _, c := range consumers {
		consumer := strconv.FormatUint(uint64(c.ID), 10) // a number, since metrics must not name customers
		gauge(lagRowsGauge, float64(c.LagRows), c.Feed, consumer)
		gauge(lagSecondsGauge, c.LagSeconds, c.Feed, consumer)
	}
}
