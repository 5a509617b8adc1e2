package handlers

import (
	"net/http"

	"odysseus/control"
	"odysseus/fleet"
)

type regionsJSON struct {
	Enforcement enforcementJSON `json:"enforcement"`
	Regions     []fleet.Region  `json:"regions"`
}

type enforcementJSON struct {
	Enabled bool   `json:"enabled"`
	Setting string `json:"setting"`
}

// GetRegions answers GET /api/v1/scheduler/regions: "the declared regions and, in the same response, whether
// enforcement is on".
func (a *API) GetRegions(w http.ResponseWriter, r *http.Request) {
	geo, err := a.control.Regions(r.Context(), actor(r))
	if a.refused(w, r, nil, err) {
		return
	}
	a.object(w, "", regionsJSON{Enforcement: enforcementJSON{Enabled: geo.Enabled, Setting: fleet.SettingEnforcement}, Regions: filled(geo.Regions)})
}

// GetGeography answers GET /api/v1/scheduler/geography.
func (a *API) GetGeography(w http.ResponseWriter, r *http.Request) {
	g, err := a.control.Geography(r.Context(), actor(r))
	if a.refused(w, r, nil, err) {
		return
	}
	a.object(w, "", fleet.Geography{Countries: filled(g.Countries), Regions: filled(g.Regions)})
}

// geoJSON is the operator's settings. Pinned holds where a setting is set that cannot be changed here.
type geoJSON struct {
	Enabled         bool              `json:"enabled"`
	OnDrift         string            `json:"onDrift"`
	Regions         []fleet.Region    `json:"regions"`
	Pinned          map[string]string `json:"pinned"`
	ResourceVersion string            `json:"resourceVersion"`
}

func geoObject(s control.GeoSettings) geoJSON {
	out := geoJSON{Enabled: s.Enabled, OnDrift: s.OnDrift, Regions: filled(s.Regions), Pinned: s.Pinned, ResourceVersion: s.ResourceVersion}
	if out.Pinned == nil {
		out.Pinned = map[string]string{}
	}
	return out
}

type impactJSON struct {
	Drift        []fleet.Ref            `json:"drift"`
	MatchNothing []fleet.Ref            `json:"matchNothing"`
	Freed        []fleet.Ref            `json:"freed"`
	RegionInUse  map[string]int         `json:"regionInUse"`
	RegionUsers  map[string][]fleet.Ref `json:"regionUsers"`
}

func impactObject(i fleet.Impact) *impactJSON {
	out := &impactJSON{Drift: filled(i.Drift), MatchNothing: filled(i.MatchNothing), Freed: filled(i.Freed), RegionInUse: i.RegionInUse, RegionUsers: i.RegionUsers}
	if out.RegionInUse == nil {
		out.RegionInUse = map[string]int{}
	}
	if out.RegionUsers == nil {
		out.RegionUsers = map[string][]fleet.Ref{}
	}
	return out
}

// GetGeoAwareness answers GET /api/v1/scheduler/geo-awareness.
func (a *API) GetGeoAwareness(w http.ResponseWriter, r *http.Request) {
	s, err := a.control.GeoSettings(r.Context(), actor(r))
	if a.refused(w, r, nil, err) {
		return
	}
	a.object(w, s.ResourceVersion, geoObject(s))
}

// PutGeoAwareness answers PUT /api/v1/scheduler/geo-awareness; with ?dryRun=All, what the change would do.
func (a *API) PutGeoAwareness(w http.ResponseWriter, r *http.Request) {
	o, ok := a.writeOptions(w, r)
	if !ok {
		return
	}
	body, ok := readBody[control.GeoPatch](a.edge, w, r)
	if !ok {
		return
	}
	done, faults, err := a.control.PutGeoSettings(r.Context(), actor(r), body, o)
	if a.refused(w, r, faults, err) {
		return
	}
	s := done.Object.Settings
	a.written(w, false, o.DryRun, s.ResourceVersion, writtenJSON{Object: geoObject(s), Impact: impactObject(done.Object.Impact)})
}

// ListAudit answers GET /api/v1/audit, newest first.
func (a *API) ListAudit(w http.ResponseWriter, r *http.Request) {
	o, ok := a.listOptions(w, r)
	if !ok {
		return
	}
	page, err := a.control.Audit(r.Context(), actor(r), o)
	if a.refused(w, r, nil, err) {
		return
	}
	list(w, page, same[fleet.AuditEntry])
}
