package control

import (
	"context"
	"strconv"
	"strings"

	"odysseus/fleet"
)

// GeoSettings are the effective settings, where those that are pinned are set, and the version of the stored ones.
type GeoSettings struct {
	fleet.GeoAwareness
	// Pinned holds where a setting is set, by its key: enabled, onDrift, regions.
	Pinned          map[string]string
	ResourceVersion string
}

// GeoPatch is the body of a PUT: keys left out stay as they are.
type GeoPatch struct {
	Enabled *bool           `json:"enabled"`
	OnDrift *string         `json:"onDrift"`
	Regions *[]fleet.Region `json:"regions"`
	// What GET answers can be sent back, but for the settings that are pinned.
	Pinned          map[string]string `json:"pinned" decode:"ignore"`
	ResourceVersion string            `json:"resourceVersion"`
}

// GeoWritten is what a change of the settings left behind and what it does.
type GeoWritten struct {
	Settings GeoSettings
	Impact   fleet.Impact
}

// Effective settings: the pinned over the stored. For the start, when the scheduler is made.
func (c *Control) Effective(ctx context.Context) (fleet.GeoAwareness, error) {
	var geo fleet.GeoAwareness
	err := c.deps.Store.View(ctx, func(tx Reader) (err error) {
		geo, _, err = c.effective(ctx, tx)
		return err
	})
	return geo, wrap("read geo-awareness", err)
}

func (c *Control) effective(ctx context.Context, tx Reader) (fleet.GeoAwareness, string, error) {
	stored, version, err := tx.GeoAwareness(ctx)
	if err != nil {
		return fleet.GeoAwareness{}, "", err
	}
	return c.deps.Pinned.over(stored), version, nil
}

// over lays the pinned settings over stored ones.
func (p Pinned) over(g fleet.GeoAwareness) fleet.GeoAwareness {
	if p.Enabled != nil {
		g.Enabled = *p.Enabled
	}
	if p.OnDrift != nil {
		g.OnDrift = *p.OnDrift
	}
	if p.Regions != nil {
		g.Regions = *p.Regions
	}
	if g.OnDrift == "" {
		g.OnDrift = fleet.OnDriftReport
	}
	return g
}

// Regions that this control plane declares and whether enforcement is on: anyone signed in may ask.
func (c *Control) Regions(ctx context.Context, a Actor) (fleet.GeoAwareness, error) {
	if err := mayRead(a, kindRegion); err != nil {
		return fleet.GeoAwareness{}, err
	}
	return c.Effective(ctx)
}

// Geography is what the live nodes within the actor's reach advertise: values, no names and no counts.
func (c *Control) Geography(_ context.Context, a Actor) (fleet.Geography, error) {
	if err := mayRead(a, kindRegion); err != nil {
		return fleet.Geography{}, err
	}
	return c.deps.Fleet.Geography(a.Tenant), nil
}

// GeoSettings for the operator's page.
func (c *Control) GeoSettings(ctx context.Context, a Actor) (GeoSettings, error) {
	var s GeoSettings
	err := c.read(ctx, a, kindGeoAwareness, func(tx Reader) error {
		geo, version, err := c.effective(ctx, tx)
		s = c.geoSettings(geo, version)
		return err
	})
	return s, wrap("read geo-awareness", err)
}

func (c *Control) geoSettings(geo fleet.GeoAwareness, version string) GeoSettings {
	return GeoSettings{GeoAwareness: geo, Pinned: c.deps.Pinned.Source, ResourceVersion: version}
}

type geoDraft struct {
	before, stored, after fleet.GeoAwareness
	version               string
	impact                fleet.Impact
}

// PutGeoSettings changes the settings that are not pinned. A dry run answers the impact and, instead of refusing
// it, which deployments use a region that would go.
func (c *Control) PutGeoSettings(ctx context.Context, a Actor, b Body[GeoPatch], o WriteOptions) (Written[GeoWritten], fleet.FieldErrors, error) {
	s := &subject{verb: "update", kind: kindGeoAwareness, name: "geo-awareness"}
	// One change at a time, so that the scheduler hears of them in the order in which they were stored.
	c.geo.Lock()
	defer c.geo.Unlock()
	var impact *fleet.Impact
	plan := func(tx Reader) (geoDraft, fleet.FieldErrors, error) {
		d, refused, err := c.planGeo(ctx, tx, a, b, o)
		if err == nil && len(refused) == 0 && impact != nil {
			d.impact.Drift, d.impact.MatchNothing, d.impact.Freed = impact.Drift, impact.MatchNothing, impact.Freed
		}
		return d, refused, err
	}
	// The impact may take a while with many deployments: it is computed before the write transaction, not within.
	if mayWrite(a, kindGeoAwareness) == nil {
		preview, refused, err := write(ctx, c, a, s, true, plan, nil)
		if err == nil && len(refused) == 0 {
			computed := c.deps.Fleet.Impact(preview.after)
			impact = &computed
		}
	}
	draft, refused, err := write(ctx, c, a, s, o.DryRun, plan, func(tx Writer, d *geoDraft) (effect, error) {
		changes, err := diff(d.before, d.after)
		if err != nil || len(changes) == 0 {
			return effect{nothing: true}, err
		}
		d.version, err = tx.PutGeoAwareness(ctx, d.stored)
		return effect{changes: append(changes, impactChanges(d.impact)...)}, err
	})
	if err != nil || len(refused) > 0 {
		return Written[GeoWritten]{}, refused, err
	}
	if !o.DryRun {
		c.deps.Scheduler.GeoAwarenessChanged(draft.after)
	}
	return Written[GeoWritten]{Object: GeoWritten{Settings: c.geoSettings(draft.after, draft.version), Impact: draft.impact}}, nil, nil
}

func (c *Control) planGeo(ctx context.Context, tx Reader, a Actor, b Body[GeoPatch], o WriteOptions) (geoDraft, fleet.FieldErrors, error) {
	if err := mayWrite(a, kindGeoAwareness); err != nil {
		return geoDraft{}, nil, err
	}
	stored, version, err := tx.GeoAwareness(ctx)
	if err != nil {
		return geoDraft{}, nil, err
	}
	if !matches(o.IfMatch, version) || !matches(b.Value.ResourceVersion, version) {
		return geoDraft{}, nil, fleet.ErrStale
	}
	d := geoDraft{before: c.deps.Pinned.over(stored), stored: stored, version: version}
	patch := b.Value
	faults := c.deps.Pinned.refuse(patch)
	if patch.Enabled != nil {
		d.stored.Enabled = *patch.Enabled
	}
	if patch.OnDrift != nil {
		d.stored.OnDrift = *patch.OnDrift
	}
	if patch.Regions != nil {
		d.stored.Regions = *patch.Regions
	}
	d.after = c.deps.Pinned.over(d.stored)
	faults = b.check(append(faults, fleet.ValidateGeoAwareness(d.after)...)...)
	if len(faults) > 0 {
		return geoDraft{}, faults, nil
	}
	used, err := tx.RegionUse(ctx)
	if err != nil {
		return geoDraft{}, nil, err
	}
	d.impact.RegionInUse, d.impact.RegionUsers = map[string]int{}, map[string][]fleet.Ref{}
	for _, r := range d.before.Regions {
		if _, stays := d.after.Region(r.Name); !stays && used[r.Name] > 0 {
			d.impact.RegionInUse[r.Name] = used[r.Name]
			faults = append(faults, fleet.FieldError{Code: fleet.CodeRegionInUse, Field: "regions", Value: r.Name,
				Args: map[string]string{"Count": strconv.Itoa(used[r.Name])}})
		}
	}
	if o.DryRun {
		for region := range d.impact.RegionInUse {
			if d.impact.RegionUsers[region], err = regionUsers(ctx, tx, region); err != nil {
				return geoDraft{}, nil, err
			}
		}
		return d, nil, nil
	}
	return d, located(b.Doc, faults), nil
}

// regionUsers are the first deployments that name a region, sorted by namespace and name.
func regionUsers(ctx context.Context, tx Reader, region string) ([]fleet.Ref, error) {
	var users []fleet.Ref
	o := fleet.ListOptions{Limit: fleet.MaxRegionUsers}
	for {
		deployments, next, err := tx.Deployments(ctx, fleet.DeploymentFilter{Residency: region}, o)
		if err != nil {
			return nil, err
		}
		for _, d := range deployments {
			// A region may be named like a country, and the filter finds both.
			if fleet.RequirementOf(d.ResidencyLabels).Region == region && len(users) < fleet.MaxRegionUsers {
				users = append(users, fleet.Ref{Tenant: d.Tenant, Namespace: d.Metadata.Namespace, Name: d.Metadata.Name})
			}
		}
		if next == "" || len(users) == fleet.MaxRegionUsers {
			return users, nil
		}
		o.After = next
	}
}

// refuse answers a fault for each pinned setting that the patch sets (409).
func (p Pinned) refuse(patch GeoPatch) fleet.FieldErrors {
	var faults fleet.FieldErrors
	refuse := func(pinned bool, key, setting, value string) {
		if pinned {
			faults = append(faults, fleet.FieldError{Code: fleet.CodeSettingPinned, Field: key, Value: value,
				Args: map[string]string{"Setting": setting, "Source": p.Source[key]}})
		}
	}
	if patch.Enabled != nil {
		refuse(p.Enabled != nil, "enabled", fleet.SettingEnforcement, strconv.FormatBool(*patch.Enabled))
	}
	if patch.OnDrift != nil {
		refuse(p.OnDrift != nil, "onDrift", "scheduler.geo_awareness.on_drift", *patch.OnDrift)
	}
	if patch.Regions != nil {
		refuse(p.Regions != nil, "regions", "scheduler.geo_awareness.regions", strings.Join(fleet.GeoAwareness{Regions: *patch.Regions}.RegionNames(), ", "))
	}
	return faults
}

// impactChanges put what a change was shown to do into its audit entry.
func impactChanges(i fleet.Impact) []fleet.Change {
	return []fleet.Change{
		{Field: "impact.drift", After: strconv.Itoa(len(i.Drift))},
		{Field: "impact.matchNothing", After: strconv.Itoa(len(i.MatchNothing))},
		{Field: "impact.freed", After: strconv.Itoa(len(i.Freed))},
	}
}
