package views

import (
	"context"
	"strconv"
	"strings"
	"time"

	"odysseus/fleet"
)

// ago says how long before now a moment is, or how long after, in the largest unit that fits.
func ago(ctx context.Context, moment time.Time) string {
	d := scene(ctx).Now.Sub(moment)
	way := "time.past."
	if d < 0 {
		d, way = -d, "time.future."
	}
	switch {
	case d < time.Minute:
		return t(ctx, "time.now")
	case d < time.Hour:
		return n(ctx, way+"minutes", int(d/time.Minute))
	case d < 48*time.Hour:
		return n(ctx, way+"hours", int(d/time.Hour))
	default:
		return n(ctx, way+"days", int(d/(24*time.Hour)))
	}
}

// exact is a moment to the second, the same in every language.
func exact(moment time.Time) string { return moment.UTC().Format("2006-01-02 15:04:05 UTC") }

func number[T int | int64](v T) string { return strconv.FormatInt(int64(v), 10) }

// cpu is an amount of processor in cores, memory one of bytes in the largest unit that keeps it whole.
func cpu(milli int64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(float64(milli)/1000, 'f', 3, 64), "0"), ".")
}

func memory(bytes int64) string {
	units := []string{"", "Ki", "Mi", "Gi", "Ti"}
	unit := 0
	for unit < len(units)-1 && bytes != 0 && (bytes%1024 == 0 || bytes >= 10*1024) {
		bytes /= 1024
		unit++
	}
	return strconv.FormatInt(bytes, 10) + units[unit]
}

// requirement of a deployment in words; empty where it declares none.
func requirement(ctx context.Context, d fleet.Deployment) string {
	r := fleet.RequirementOf(d.ResidencyLabels)
	if r.Empty() {
		return ""
	}
	return words(ctx).Required(r)
}

// driftText is what some replicas require and where they run instead, in one line.
func driftText(ctx context.Context, d fleet.Drift) string {
	return n(ctx, "drift.note", d.Replicas, "Required", words(ctx).Required(d.Required), "Reported", words(ctx).Geo(d.Reported))
}

// commas joins values for reading.
func commas(values []string) string { return strings.Join(values, ", ") }
