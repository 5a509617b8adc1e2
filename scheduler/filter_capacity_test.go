package scheduler

import (
	"math"
	"testing"

	"odysseus/fleet"
)

func TestTimes(t *testing.T) {
	free := fleet.Amount{MilliCPU: 1000, Memory: 4096, Slots: 7}
	tests := []struct {
		name string
		free fleet.Amount
		need fleet.Amount
		want int64
	}{
		{"slots alone", free, fleet.Amount{Slots: 1}, 7},
		{"CPU is scarcest", free, fleet.Amount{MilliCPU: 300, Slots: 1}, 3},
		{"memory is scarcest", free, fleet.Amount{MilliCPU: 100, Memory: 2048, Slots: 1}, 2},
		{"one dimension is short", free, fleet.Amount{MilliCPU: 1001, Slots: 1}, 0},
		{"overcommitted node", fleet.Amount{MilliCPU: -5, Memory: 10, Slots: 3}, fleet.Amount{Slots: 1}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := times(tt.free, tt.need); got != tt.want {
				t.Errorf("times(%+v, %+v) = %d, want %d", tt.free, tt.need, got, tt.want)
			}
		})
	}
}

func TestRoominessFallsWithEveryReplica(t *testing.T) {
	free := fleet.Amount{MilliCPU: 4000, Memory: 8 << 30, Slots: 100}
	for _, less := range []fleet.Amount{{Slots: 1}, {MilliCPU: 1}, {Memory: 1 << 23}} {
		if roominess(free.Minus(less)) >= roominess(free) {
			t.Errorf("taking %+v leaves as much room", less)
		}
	}
	most := fleet.Amount{MilliCPU: math.MaxInt64, Memory: math.MaxInt64, Slots: math.MaxInt64}
	if roominess(most) <= roominess(free) || roominess(fleet.Amount{MilliCPU: -1, Memory: -1, Slots: -1}) != 0 {
		t.Error("extremes are not ordered")
	}
}
