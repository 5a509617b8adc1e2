package web

import (
	"encoding/json"
	"fmt"
	"time"
)

// sessionCodec stores a session as JSON. scs' own codec is gob, which compiles the type anew for every session
// that is read, at ten times the cost, and this is read on every page. All our values are text.
type sessionCodec struct{}

type storedSession struct {
	Deadline int64             `json:"deadline"` // nanoseconds since 1970
	Values   map[string]string `json:"values"`
}

// Encode implements scs.Codec.
func (sessionCodec) Encode(deadline time.Time, values map[string]any) ([]byte, error) {
	stored := storedSession{Deadline: deadline.UnixNano(), Values: make(map[string]string, len(values))}
	for key, value := range values {
		text, ok := value.(string)
		if !ok {
			return nil, fmt.Errorf("encode session: value %q is no text", key)
		}
		stored.Values[key] = text
	}
	return json.Marshal(stored)
}

// Decode implements scs.Codec.
func (sessionCodec) Decode(b []byte) (time.Time, map[string]any, error) {
	var stored storedSession
	if err := json.Unmarshal(b, &stored); err != nil {
		return time.Time{}, nil, fmt.Errorf("decode session: %w", err)
	}
	values := make(map[string]any, len(stored.Values))
	for key, value := range stored.Values {
		values[key] = value
	}
	return time.Unix(0, stored.Deadline).UTC(), values, nil
}
