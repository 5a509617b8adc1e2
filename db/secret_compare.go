package db

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"odysseus/fleet"
)

// ChangedSecretKeys are those of the given keys of a Secret's data whose value is not what is stored, sorted. Values are
// as they are written; fleet.HiddenValue is whatever is stored. The caller has read the Secret for its tenant: the UID is
// proof of that.
func (tx *Tx) ChangedSecretKeys(ctx context.Context, uid string, data map[string]string) ([]string, error) {
	var object string
	err := tx.value(ctx, "SELECT object FROM resources WHERE uid = ? AND kind = ?", []any{uid, fleet.KindSecret}, &object)
	if err != nil {
		return nil, fmt.Errorf("read secret %s: %w", uid, err)
	}
	opened, err := tx.openObject(uid, []byte(object))
	if err != nil {
		return nil, fmt.Errorf("read secret %s: %w", uid, err)
	}
	var stored struct {
		Data map[string]json.RawMessage `json:"data"`
	}
	if err := fromJSON(string(opened), &stored); err != nil {
		return nil, fmt.Errorf("read secret %s: %w", uid, err)
	}
	var changed []string
	for _, key := range slices.Sorted(maps.Keys(data)) {
		text, ok := textIn(stored.Data[key])
		if !ok || data[key] != fleet.HiddenValue && data[key] != text {
			changed = append(changed, key)
		}
	}
	return changed, nil
}
