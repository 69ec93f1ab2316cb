package images

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"testing"

	"github.com/counterfoil/counterfoil/domain/domaintest"
)

func TestAWaitingConversionCanBeCancelled(t *testing.T) {
	t.Parallel()
	var content bytes.Buffer
	domaintest.Must(t, png.Encode(&content, image.NewGray(image.Rect(0, 0, 8, 8))))
	limits := Limits{Pixels: 100, Thumbnail: 48}
	for range cap(conversionSlots) {
		conversionSlots <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Convert(ctx, content.Bytes(), limits)
	for range cap(conversionSlots) {
		<-conversionSlots
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := Convert(t.Context(), content.Bytes(), limits); err != nil {
		t.Errorf("with room again: %v", err)
	}
}
