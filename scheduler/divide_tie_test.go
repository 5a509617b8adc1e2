package scheduler

import "testing"

// The hash is promised: where these change, remainders move between clusters at an upgrade.
func TestTheHashStaysWhatItIs(t *testing.T) {
	for _, tt := range []struct {
		namespace, name, cluster string
		want                     uint64
	}{
		{"demo", "web", "frankfurt", 0x9da044ee83d8bb2d},
		{"demo", "web", "montreal", 0xc5fbb454803b371d},
		{"demo", "web", "a-name-of-more-than-sixteen-bytes", 0x2f575744e20c091a},
		{"demo", "we", "bfrankfurt", 0xf55b47b18ca5a64b},
		{"", "", "", 0},
	} {
		if got := newTie(tt.namespace, tt.name).hash(tt.cluster); got != tt.want {
			t.Errorf("%s/%s on %s: %#x, want %#x", tt.namespace, tt.name, tt.cluster, got, tt.want)
		}
	}
}
