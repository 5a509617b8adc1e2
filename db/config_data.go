package db

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
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
		text, ok := textIn(value)
		if raw, err := base64.StdEncoding.DecodeString(text); ok && err == nil && utf8.Valid(raw) {
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
