package views

import (
	"context"
	"strings"
	"testing"
	"time"

	"odysseus/fleet"
	"odysseus/views/locale"
)

// stage is a context in English at noon; a missing key fails the test.
func stage(t *testing.T) (context.Context, *locale.Catalogue) {
	t.Helper()
	catalogue, err := locale.New(locale.OnMissing(func(key string) { t.Errorf("no words for %q", key) }))
	if err != nil {
		t.Fatal(err)
	}
	return WithScene(t.Context(), Scene{Words: catalogue.Words(), Now: noon}), catalogue
}

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestTimesAreRelativeInTheLargestUnitThatFits(t *testing.T) {
	ctx, _ := stage(t)
	for d, want := range map[time.Duration]string{
		0: "just now", 59 * time.Second: "just now", time.Minute: "1 minute ago", 59 * time.Minute: "59 minutes ago", time.Hour: "1 hour ago",
		47 * time.Hour: "47 hours ago", 48 * time.Hour: "2 days ago", 400 * 24 * time.Hour: "400 days ago",
		-30 * time.Second: "just now", -2 * time.Minute: "in 2 minutes", -time.Hour: "in 1 hour", -72 * time.Hour: "in 3 days",
	} {
		if got := ago(ctx, noon.Add(-d)); got != want {
			t.Errorf("%s: got %q, want %q", d, got, want)
		}
	}
	var b strings.Builder
	if err := When(noon.Add(-time.Hour)).Render(ctx, &b); err != nil || b.String() != `<time datetime="2026-11-30T11:00:00Z" title="2026-11-30 11:00:00 UTC">1 hour ago</time>` {
		t.Errorf("got %s %v", b.String(), err)
	}
}

func TestAmountsAreShort(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0", 1000: "1000", 1024: "1Ki", 1536: "1536", 8 << 30: "8Gi", 1 << 29: "512Mi", 20 << 40: "20Ti", 5 << 50: "5120Ti"} {
		if got := memory(bytes); got != want {
			t.Errorf("%d: got %q, want %q", bytes, got, want)
		}
	}
	for milli, want := range map[int64]string{0: "0", 500: "0.5", 1000: "1", 1250: "1.25", 10000: "10", 1: "0.001"} {
		if got := cpu(milli); got != want {
			t.Errorf("%d: got %q, want %q", milli, got, want)
		}
	}
}

func TestEveryStateHasAShapeAndAWord(t *testing.T) {
	ctx, _ := stage(t)
	for _, s := range []State{StatePlaced, StatePartly, StatePending, StateWaiting, StateDrift, StateRefused, StateAccepted, StateLive, StateLost, StateCordoned, StateDraining} {
		var b strings.Builder
		if err := StateBadge(s).Render(ctx, &b); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), `<span class="shape" aria-hidden="true">`+s.shape()+`</span>`) || !strings.Contains(b.String(), t2(ctx, s)) {
			t.Errorf("%s: %s", s, b.String())
		}
	}
	for state, want := range map[fleet.PlacementState]State{fleet.Placed: StatePlaced, fleet.PartlyPlaced: StatePartly, fleet.Pending: StatePending, fleet.Waiting: StateWaiting, "": StateWaiting} {
		if got := StateOf(state); got != want {
			t.Errorf("%q: got %s", state, got)
		}
	}
}

func t2(ctx context.Context, s State) string { return t(ctx, "state."+string(s)) }
