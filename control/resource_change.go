package control

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"odysseus/fleet"
)

// resourceChanges are what a write changes of a resource, for the audit: of a Secret's values, which keys alone. A nil
// old, or one that is preserved, is one that is not there, and so is a nil next.
func resourceChanges(old, next *fleet.StoredResource, secrets []string) ([]fleet.Change, error) {
	if old != nil && old.Preserved {
		old = nil
	}
	before, err := declaredResource(old)
	if err != nil {
		return nil, err
	}
	after, err := declaredResource(next)
	if err != nil {
		return nil, err
	}
	changes, err := diff(before, after)
	if err != nil {
		return nil, err
	}
	// Every value is the same mark: keys that come or go differ, one whose value changes does not.
	for _, key := range secrets {
		at := fieldPath("data", key)
		if !slices.ContainsFunc(changes, func(c fleet.Change) bool { return c.Field == at }) {
			changes = append(changes, fleet.Change{Field: at, Before: fleet.HiddenValue, After: fleet.HiddenValue})
		}
	}
	slices.SortStableFunc(changes, func(a, b fleet.Change) int { return strings.Compare(a.Field, b.Field) })
	return changes, nil
}

// declaredResource is the part of a resource that people write: what the audit compares. A Secret's values are hidden.
func declaredResource(r *fleet.StoredResource) (any, error) {
	if r == nil {
		return nil, nil
	}
	shown := r.Hidden()
	object, err := tree(shown.Object)
	if err != nil {
		return nil, err
	}
	fields, ok := object.(map[string]any)
	if !ok {
		return object, nil
	}
	delete(fields, "apiVersion")
	delete(fields, "kind")
	fields["metadata"] = declaredMetadata{r.Labels, r.Annotations}
	return fields, nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func (c *Control) resourceEvent(r fleet.StoredResource, reason string) fleet.Event {
	e := fleet.Event{
		Time: c.deps.Now().UTC(), Tenant: r.Tenant, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name,
		UID: r.UID, Type: fleet.EventNormal, Reason: reason, Count: 1,
	}
	if reason == EventUpdated {
		e.Args = map[string]string{"Revision": strconv.FormatInt(r.Revision, 10)}
	}
	return e
}
