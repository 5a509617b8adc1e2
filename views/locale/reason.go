package locale

import (
	"strconv"
	"strings"

	"odysseus/fleet"
)

// Reason says why replicas are pending, in one line: "requires country CA; nodes report DE, US".
//
// The message "reason.CODE" has: Required and Reported (in words), Country, Region, Blocked (the values alone), Field
// and Clusters. Of an override that does not apply it has Policy, Field (the rule, and the overrider in it) and Why.
// It never holds a node's name, nor a count: tenants read it.
func (w *Words) Reason(r fleet.Reason) string {
	args := map[string]string{"Field": r.Field, "Clusters": strings.Join(r.Clusters, ", ")}
	if r.Required != nil {
		args["Required"] = w.Required(*r.Required)
		args["Country"] = r.Required.Country
		args["Region"] = r.Required.Region
		args["Blocked"] = strings.Join(r.Required.BlockedCountries, ", ")
	}
	if r.Reported != nil {
		args["Reported"] = w.Reported(*r.Reported, r.Unlabelled)
	}
	if r.Blocked != nil {
		args["Policy"], args["Field"], args["Why"] = r.Blocked.Policy.String(), r.Blocked.Field, w.RenderError(r.Blocked)
	}
	return w.T("reason."+string(r.Code), args)
}

// NodeReason says why one node takes no replica. For operators and support.
func (w *Words) NodeReason(code fleet.Code) string { return w.T("nodereason."+string(code), nil) }

// Required is a requirement in words: "country CA", "region eu-core", "a country other than RU, US".
func (w *Words) Required(r fleet.Requirement) string {
	var parts []string
	add := func(key, value string) {
		if value != "" {
			parts = append(parts, w.T(key, map[string]string{"Value": value}))
		}
	}
	add("required.enforced_region", r.EnforcedRegion)
	add("required.enforced_country", r.EnforcedCountry)
	add("required.region", r.Region)
	add("required.country", r.Country)
	// A satisfied region ends the filter before blocked countries are read, so they are no part of what is required.
	if r.Region == "" {
		add("required.blocked", strings.Join(r.BlockedCountries, ", "))
	}
	if len(parts) == 0 {
		return w.T("required.nothing", nil)
	}
	return w.join(parts)
}

// Reported is what nodes advertise, in words: "DE, US and region north-america". Unlabelled adds that some
// report nothing.
func (w *Words) Reported(g fleet.Geography, unlabelled bool) string {
	var parts []string
	if len(g.Countries) > 0 {
		parts = append(parts, strings.Join(g.Countries, ", "))
	}
	if len(g.Regions) > 0 {
		parts = append(parts, w.N("reported.regions", len(g.Regions), map[string]string{"Regions": strings.Join(g.Regions, ", ")}))
	}
	switch {
	case len(parts) == 0:
		return w.T("reported.nothing", nil)
	case unlabelled:
		return w.T("reported.some_nothing", map[string]string{"Reported": w.join(parts)})
	}
	return w.join(parts)
}

// Geo is where one node says it is, in words.
func (w *Words) Geo(g fleet.Geo) string {
	var all fleet.Geography
	if g.Country != "" {
		all.Countries = []string{g.Country}
	}
	if g.Region != "" {
		all.Regions = []string{g.Region}
	}
	return w.Reported(all, false)
}

// Event says what happened. The message "event.REASON" has all of Args, and the object's Kind, Namespace and Name;
// where Args count replicas the message is in that number's plural form, and where they name a requirement or a
// place it has them in words as Required and Reported, codes of pending reasons as Reasons.
func (w *Words) Event(e fleet.Event) string {
	args := map[string]string{"Kind": e.Kind, "Namespace": e.Namespace, "Name": e.Name}
	for name, value := range e.Args {
		args[name] = cut(value)
	}
	required := fleet.Requirement{Country: e.Args["country"], Region: e.Args["region"],
		EnforcedCountry: e.Args["enforcedCountry"], EnforcedRegion: e.Args["enforcedRegion"]}
	if blocked := e.Args["blocked"]; blocked != "" {
		required.BlockedCountries = strings.Split(blocked, ",")
	}
	if !required.Empty() {
		args["Required"] = w.Required(required)
		args["Reported"] = w.Geo(fleet.Geo{Country: e.Args["reportedCountry"], Region: e.Args["reportedRegion"]})
	}
	if codes := e.Args["codes"]; codes != "" && e.Reason == eventPending {
		var names []string
		for code := range strings.SplitSeq(codes, ",") {
			names = append(names, w.T("reasonname."+code, nil))
		}
		args["Reasons"] = strings.Join(names, ", ")
	}
	if cause := e.Args["cause"]; cause != "" {
		args["Cause"] = w.T("cause_of_replacement."+cause, nil)
	}
	if count, err := strconv.Atoi(e.Args["replicas"]); err == nil {
		return w.N("event."+e.Reason, count, args)
	}
	return w.T("event."+e.Reason, args)
}

// join puts parts in a row: "a, b and c".
func (w *Words) join(parts []string) string {
	last := len(parts) - 1
	if last == 0 {
		return parts[0]
	}
	return w.T("list.and", map[string]string{"First": strings.Join(parts[:last], ", "), "Last": parts[last]})
}

// eventPending is the scheduler's reason of the event whose codes are those of pending reasons.
const eventPending = "Pending"
