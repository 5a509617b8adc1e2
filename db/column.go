package db

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// millis is how a time is stored.
func millis(t time.Time) int64 { return t.UnixMilli() }

// timeOf reads a stored time.
func timeOf(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// optionalMillis stores the zero time as NULL.
func optionalMillis(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

// optionalTime reads NULL as the zero time.
func optionalTime(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return timeOf(ms.Int64)
}

// optionalText stores the empty text as NULL: a platform account's tenant, a node event's.
func optionalText(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }

// mapText is a map as JSON, nil as {}: keys sorted, so that equal maps are equal texts.
func mapText(m map[string]string) string {
	if len(m) == 0 {
		return "{}"
	}
	return jsonText(m)
}

// jsonText is v as JSON. The types that are stored are plain data: they always marshal.
func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("marshal %T for the database: %v", v, err))
	}
	return string(text)
}

// mapOf reads a map; nil where it is empty.
func mapOf(text string) (map[string]string, error) {
	if text == "{}" {
		return nil, nil
	}
	var m map[string]string
	err := fromJSON(text, &m)
	return m, err
}

func fromJSON(text string, v any) error {
	if err := json.Unmarshal([]byte(text), v); err != nil {
		return fmt.Errorf("read stored %T: %w", v, err)
	}
	return nil
}

// versionText is a resourceVersion: a decimal number, as a text for everyone else.
func versionText(v int64) string { return strconv.FormatInt(v, 10) }

// listText is a list as JSON, empty where it is.
func listText[T any](list []T) string {
	if len(list) == 0 {
		return ""
	}
	return jsonText(list)
}
