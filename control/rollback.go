package control

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"odysseus/fleet"
)

// RollbackRequest is the body of a rollback.
type RollbackRequest struct {
	Revision *int64 `json:"revision" validate:"required"`
}

// RollbackDeployment makes an old revision's spec the next revision. It goes the way of every update, by the rules
// of today: a region may be gone since. And "no rollback may widen residency": to run where it may not run now, a
// deployment is edited, which says so.
func (c *Control) RollbackDeployment(ctx context.Context, a Actor, namespace, name string, b Body[RollbackRequest], o WriteOptions) (Written[fleet.Deployment], fleet.FieldErrors, error) {
	s := &subject{verb: "rollback", kind: kindDeployment, namespace: namespace, name: name}
	return c.writeDeployment(ctx, a, s, o, func(tx Reader) (deploymentDraft, fleet.FieldErrors, error) {
		ns, old, err := c.forWriting(ctx, tx, a, s, o)
		if err != nil {
			return deploymentDraft{}, nil, err
		}
		if faults := b.check(); len(faults) > 0 {
			return deploymentDraft{}, faults, nil
		}
		number := *b.Value.Revision
		revision, err := tx.Revision(ctx, old.Metadata.UID, number)
		if errors.Is(err, fleet.ErrNotFound) {
			return deploymentDraft{}, located(b.Doc, fleet.FieldErrors{{Code: fleet.CodeRevisionUnknown, Field: "revision", Value: strconv.FormatInt(number, 10), Want: "revision"}}), nil
		}
		if err != nil {
			return deploymentDraft{}, nil, err
		}
		m := Manifest{Deployment: fleet.Deployment{APIVersion: fleet.APIVersion, Kind: fleet.KindDeployment, Metadata: old.Metadata, Spec: revision.Spec}}
		draft, faults, err := c.planUpdate(ctx, tx, place{namespace: ns, name: name, old: &old}, m)
		if err != nil || len(faults) > 0 {
			return deploymentDraft{}, faults, err
		}
		before, after := fleet.RequirementOf(old.ResidencyLabels), fleet.RequirementOf(draft.next.ResidencyLabels)
		if widens(before, after, draft.geo) {
			return deploymentDraft{}, located(b.Doc, fleet.FieldErrors{{Code: fleet.CodeRollbackWidens, Field: "revision", Value: strconv.FormatInt(number, 10), Want: "residency_as_now",
				Args:     map[string]string{"Before": residencyText(old.Spec.Residency()), "After": residencyText(draft.next.Spec.Residency())},
				WantArgs: map[string]string{"Residency": residencyText(old.Spec.Residency())}}}), nil
		}
		if !draft.unchanged() {
			draft.events = append(draft.events, c.deploymentEvent(draft.next, fleet.EventNormal, EventRolledBack,
				map[string]string{"To": strconv.FormatInt(number, 10), "Revision": strconv.FormatInt(draft.next.Revision, 10)}))
		}
		return draft, nil, nil
	})
}

// widens says whether next admits every node that before does, and more. A change to another country is no
// widening: nothing of what was required is loosened, it is replaced.
func widens(before, next fleet.Requirement, geo fleet.GeoAwareness) bool {
	return admitsAll(next, before, geo) && !admitsAll(before, next, geo)
}

// admitsAll says whether every place that narrow admits is one that wide admits. Regions count as their countries.
func admitsAll(wide, narrow fleet.Requirement, geo fleet.GeoAwareness) bool {
	// The enforced parts are the same before and after: no tenant's write changes them.
	switch {
	case wide.Region != "":
		if narrow.Region == wide.Region {
			return true
		}
		region, _ := geo.Region(wide.Region)
		return narrow.Region == "" && narrow.Country != "" && slices.Contains(region.Countries, narrow.Country)
	case wide.Country != "":
		return narrow.Region == "" && narrow.Country == wide.Country
	case len(wide.BlockedCountries) > 0:
		return avoids(narrow, wide.BlockedCountries, geo)
	}
	return true
}

// avoids says whether nothing that r admits is in one of the countries.
func avoids(r fleet.Requirement, countries []string, geo fleet.GeoAwareness) bool {
	switch {
	case r.Region != "":
		region, declared := geo.Region(r.Region)
		return declared && !slices.ContainsFunc(region.Countries, func(c string) bool { return slices.Contains(countries, c) })
	case r.Country != "":
		return !slices.Contains(countries, r.Country)
	}
	for _, country := range countries {
		if !slices.Contains(r.BlockedCountries, country) {
			return false
		}
	}
	return true
}
