package control

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"odysseus/fleet"
)

// admitCluster lays the body over next and holds it to the rules.
func admitCluster(ctx context.Context, tx Reader, b Body[NewCluster], next *fleet.Cluster, further fleet.FieldErrors) (fleet.FieldErrors, error) {
	if b.Value.Runtime != "" {
		next.Runtime = b.Value.Runtime
	}
	if b.Value.Labels != nil {
		next.Labels = *b.Value.Labels
		further = append(further, checkLabels("labels", next.Labels)...)
	}
	if b.Value.Tenants != nil {
		next.Tenants = *b.Value.Tenants
		faults, err := checkTenants(ctx, tx, next.Tenants)
		if err != nil {
			return nil, err
		}
		further = append(further, faults...)
	}
	return later(b.check(further...)), nil
}

// later tells a runtime that this version does not act on yet from one that is none: nothing is "stored and ignored".
func later(faults fleet.FieldErrors) fleet.FieldErrors {
	for i, f := range faults {
		if f.Field != "runtime" || f.Code != fleet.CodeNotAccepted {
			continue
		}
		if f.Value == fleet.ClusterKubernetes {
			faults[i].Code = fleet.CodeFieldUnsupported
		}
		if !strings.Contains(f.WantArgs["Values"], ",") {
			faults[i].Want = "only" // there is nothing to choose from
		}
	}
	return faults
}

// checkLabels refuses labels of a cluster that would say where its machines are ("cluster labels under
// odysseus.io/ exist only to be refused"), and those that are none.
func checkLabels(field string, labels map[string]string) fleet.FieldErrors {
	faults := fleet.ReservedLabelFaults(field, labels)
	reserved := map[string]bool{}
	for i, f := range faults {
		reserved[f.Value] = true
		if strings.HasPrefix(strings.ToLower(f.Value), fleet.LabelPrefix) {
			faults[i].Code, faults[i].Want, faults[i].Suggestion = fleet.CodeNodeGeographySelf, "label_not_reserved", ""
		}
	}
	if len(labels) > maxLabels {
		faults = append(faults, fleet.FieldError{Code: fleet.CodeOutOfRange, Field: field, Value: strconv.Itoa(len(labels)), Want: "at_most", WantArgs: map[string]string{"Limit": strconv.Itoa(maxLabels)}})
	}
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		switch {
		case reserved[key]:
		case !fleet.IsLabelKey(key):
			faults = append(faults, fleet.FieldError{Code: fleet.CodeLabelInvalid, Field: fieldPath(field, key), Value: key, Want: "label_key", AtKey: true})
		case !fleet.IsLabelValue(labels[key]):
			faults = append(faults, fleet.FieldError{Code: fleet.CodeLabelInvalid, Field: fieldPath(field, key), Value: labels[key], Want: "label_value"})
		}
	}
	return faults
}

func checkTenants(ctx context.Context, tx Reader, tenants []string) (fleet.FieldErrors, error) {
	var faults fleet.FieldErrors
	for i, name := range tenants {
		field := "tenants[" + strconv.Itoa(i) + "]"
		if first := slices.Index(tenants, name); first < i {
			faults = append(faults, fleet.FieldError{Code: fleet.CodeRepeated, Field: field, Value: name, Want: "distinct", Args: map[string]string{"First": "tenants[" + strconv.Itoa(first) + "]"}})
			continue
		}
		if name == fleet.AllTenants {
			continue
		}
		_, err := tx.Tenant(ctx, name)
		known, err := isTaken(err)
		if err != nil {
			return nil, err
		}
		if !known {
			faults = append(faults, fleet.FieldError{Code: fleet.CodeTenantUnknown, Field: field, Value: name, Want: "tenant"})
		}
	}
	return faults, nil
}
