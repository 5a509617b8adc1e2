package control

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"odysseus/fleet"
)

// StatusReport is the body of a status. What it leaves out stays as it is.
type StatusReport struct {
	Labels     map[string]string `json:"labels"`
	Capacity   capacityReport    `json:"capacity"`
	Containers []containerReport `json:"containers" validate:"dive"`
}

type capacityReport struct {
	CPU        fleet.Quantity `json:"cpu" validate:"omitempty,quantity"`
	Memory     fleet.Quantity `json:"memory" validate:"omitempty,quantity"`
	Containers *int           `json:"containers"`
}

type containerReport struct {
	ID        string               `json:"id" validate:"required"`
	State     fleet.ContainerState `json:"state" validate:"required,oneof=starting running unhealthy exited failed stopped"`
	Message   string               `json:"message"`
	Restarts  int                  `json:"restarts"`
	StartedAt string               `json:"startedAt"`
}

// Bounds of what an agent may say.
const (
	maxContainers = 10_000
	maxRestarts   = 1_000_000_000
	maxMessage    = 1_024 // characters
)

// whole refuses what an enrolment may not leave out: a node without capacity would take nothing, and say nothing.
func (r capacityReport) whole() fleet.FieldErrors {
	var faults fleet.FieldErrors
	missing := func(field string) {
		faults = append(faults, fleet.FieldError{Code: fleet.CodeRequired, Field: "capacity." + field, Want: "required"})
	}
	if r.CPU == "" {
		missing("cpu")
	}
	if r.Memory == "" {
		missing("memory")
	}
	if r.Containers == nil {
		missing("containers")
	}
	return append(faults, r.check()...)
}

func (r capacityReport) check() fleet.FieldErrors {
	if r.Containers == nil || *r.Containers >= 0 && *r.Containers <= maxContainers {
		return nil
	}
	return fleet.FieldErrors{outOfRange("capacity.containers", *r.Containers, maxContainers)}
}

// over lays what was said over what stands.
func (r capacityReport) over(a fleet.Amount) fleet.Amount {
	if r.CPU != "" {
		a.MilliCPU = r.CPU.Milli()
	}
	if r.Memory != "" {
		a.Memory = r.Memory.Bytes()
	}
	if r.Containers != nil {
		a.Slots = int64(*r.Containers)
	}
	return a
}

func outOfRange(field string, n, most int) fleet.FieldError {
	return fleet.FieldError{Code: fleet.CodeOutOfRange, Field: field, Value: strconv.Itoa(n), Want: "range",
		WantArgs: map[string]string{"Low": "0", "High": strconv.Itoa(most)}}
}

// admitReport holds a report to its rules and bounds. Messages are an engine's words: they are cut and cleaned, not
// refused.
func admitReport(b Body[StatusReport]) (news, fleet.FieldErrors) {
	r := b.Value
	labels, faults := admitNodeLabels(r.Labels)
	faults = append(decoded(faults, b.Faults), r.Capacity.check()...)
	n := news{labels: labels, capacity: r.Capacity}
	if len(r.Containers) > maxContainers {
		faults = append(faults, outOfRange("containers", len(r.Containers), maxContainers))
		r.Containers = nil
	}
	if r.Containers != nil {
		n.containers = make([]fleet.ContainerReport, len(r.Containers))
	}
	first := map[string]int{}
	for i, c := range r.Containers {
		field := "containers[" + strconv.Itoa(i) + "]"
		if before, repeated := first[c.ID]; repeated && c.ID != "" {
			faults = append(faults, fleet.FieldError{Code: fleet.CodeRepeated, Field: field + ".id", Value: c.ID, Want: "distinct",
				Args: map[string]string{"First": "containers[" + strconv.Itoa(before) + "].id"}})
		}
		first[c.ID] = i
		if c.Restarts < 0 || c.Restarts > maxRestarts {
			faults = append(faults, outOfRange(field+".restarts", c.Restarts, maxRestarts))
		}
		started, ok := parseTime(c.StartedAt)
		if !ok {
			faults = append(faults, fleet.FieldError{Code: fleet.CodeNotAccepted, Field: field + ".startedAt", Value: c.StartedAt, Want: "time"})
		}
		n.containers[i] = fleet.ContainerReport{ID: c.ID, State: c.State, Message: clean(c.Message), Restarts: c.Restarts, StartedAt: started}
	}
	return n, b.check(faults...)
}

// admitNodeLabels keeps the two labels that say where the node is and the agent's own plain ones. Nil stays nil:
// nothing was said.
func admitNodeLabels(labels map[string]string) (map[string]string, fleet.FieldErrors) {
	if labels == nil {
		return nil, nil
	}
	var faults fleet.FieldErrors
	if len(labels) > maxLabels {
		return nil, fleet.FieldErrors{outOfRange("labels", len(labels), maxLabels)}
	}
	kept := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		v, field := labels[key], fieldPath("labels", key)
		switch {
		case key == fleet.LabelNodeCountry && v == "", key == fleet.LabelNodeGeoRegion && v == "":
			continue // "a node may report no country"
		case key == fleet.LabelNodeCountry && !fleet.CountryAssigned(v):
			faults = append(faults, fleet.FieldError{Code: fleet.CodeNodeCountryInvalid, Field: field, Value: v, Want: "country", Suggestion: fleet.SuggestCountry(v)})
		case key == fleet.LabelNodeCountry:
		case key != fleet.LabelNodeGeoRegion && strings.HasPrefix(strings.ToLower(key), fleet.LabelPrefix):
			faults = append(faults, fleet.FieldError{Code: fleet.CodeLabelReserved, Field: field, Value: key, Want: "label_not_reserved", AtKey: true})
		case !fleet.IsLabelKey(key):
			faults = append(faults, fleet.FieldError{Code: fleet.CodeLabelInvalid, Field: field, Value: key, Want: "label_key", AtKey: true})
		case !fleet.IsLabelValue(v):
			faults = append(faults, fleet.FieldError{Code: fleet.CodeLabelInvalid, Field: field, Value: v, Want: "label_value"})
		}
		kept[key] = v
	}
	return kept, faults
}

// decoded leaves out faults of labels whose value was no text: what it says was never read.
func decoded(faults, decoding fleet.FieldErrors) fleet.FieldErrors {
	return slices.DeleteFunc(faults, func(f fleet.FieldError) bool {
		return slices.ContainsFunc(decoding, func(d fleet.FieldError) bool { return d.Field == f.Field && !f.AtKey })
	})
}

// clean makes an engine's words safe to show: one line, no control or direction characters, bounded.
func clean(message string) string {
	message = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, message)
	runes := []rune(strings.TrimSpace(message))
	return string(runes[:min(len(runes), maxMessage)])
}
