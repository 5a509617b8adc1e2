package db

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"odysseus/fleet"
)

const kindConfigMap = "ConfigMap"

// configData is what a ConfigMap or Secret of a namespace gives to those who name it, by key, in the clear: for
// containers' environments, and for nothing else. False where there is none. One that was deleted and stays on the
// clusters still gives what it gave there. A value that is no text cannot be a variable, and is left out.
func (tx *Tx) configData(ctx context.Context, tenant, namespace, kind, name string) (map[string]string, bool, error) {
	if kind != kindConfigMap && kind != fleet.KindSecret {
		return nil, false, nil
	}
	var uid, object string
	err := tx.value(ctx, "SELECT uid, object FROM resources WHERE namespace = ? AND kind = ? AND name = ? AND api_version = 'v1' AND tenant = ?",
		[]any{namespace, kind, name, tenant}, &uid, &object)
	if errors.Is(err, fleet.ErrNotFound) {
		return nil, false, nil
	}
	if err == nil && kind == fleet.KindSecret {
		var opened []byte
		opened, err = tx.openObject(uid, []byte(object))
		object = string(opened)
	}
	var data map[string]string
	if err == nil {
		data, err = dataOf(object, kind == fleet.KindSecret)
	}
	if err != nil {
		return nil, false, fmt.Errorf("read data of %s %s/%s: %w", kind, namespace, name, err)
	}
	return data, true, nil
}

// ChangedSecretKeys are those of the given keys of a Secret's data whose value is not what is stored, sorted. Values are
// base64; fleet.HiddenValue is whatever is stored. The caller has read the Secret for its tenant: the UID is proof of that.
func (tx *Tx) ChangedSecretKeys(ctx context.Context, uid string, data map[string]string) ([]string, error) {
	var object string
	err := tx.value(ctx, "SELECT object FROM resources WHERE uid = ? AND kind = 'Secret'", []any{uid}, &object)
	if err != nil {
		return nil, fmt.Errorf("compare Secret %s: %w", uid, err)
	}
	opened, err := tx.openObject(uid, []byte(object))
	if err != nil {
		return nil, fmt.Errorf("compare Secret %s: %w", uid, err)
	}
	var stored struct {
		Data map[string]json.RawMessage `json:"data"`
	}
	if err := fromJSON(string(opened), &stored); err != nil {
		return nil, fmt.Errorf("compare Secret %s: %w", uid, err)
	}
	var changed []string
	for key, value := range data {
		before, ok := textIn(stored.Data[key])
		if !ok || value != fleet.HiddenValue && !sameBase64(before, value) {
			changed = append(changed, key)
		}
	}
	slices.Sort(changed)
	return changed, nil
}

// sameBase64 compares what is encoded: it may be broken into lines, and was not changed by that.
func sameBase64(a, b string) bool {
	x, err1 := base64.StdEncoding.DecodeString(a)
	y, err2 := base64.StdEncoding.DecodeString(b)
	if err1 != nil || err2 != nil {
		return a == b
	}
	return bytes.Equal(x, y)
}

// dataOf reads the values of an object: a Secret's data is base64, as is a ConfigMap's binaryData.
func dataOf(object string, secret bool) (map[string]string, error) {
	var read struct {
		Data       map[string]json.RawMessage `json:"data"`
		BinaryData map[string]json.RawMessage `json:"binaryData"`
	}
	if err := fromJSON(object, &read); err != nil {
		return nil, err
	}
	plain, encoded := read.Data, read.BinaryData
	if secret {
		plain, encoded = nil, read.Data
	}
	out := make(map[string]string, len(plain)+len(encoded))
	for key, value := range encoded {
		text, _ := textIn(value)
		if raw, err := base64.StdEncoding.DecodeString(text); err == nil && utf8.Valid(raw) && !isNull(value) {
			out[key] = string(raw)
		}
	}
	for key, value := range plain {
		if text, ok := textIn(value); ok {
			out[key] = text
		}
	}
	return out, nil
}
