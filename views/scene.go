package views

import (
	"context"
	"time"

	"odysseus/views/locale"
)

// Scene is what every template may need of the request: its language and its time.
type Scene struct {
	Words *locale.Words
	Now   time.Time
}

type sceneKey struct{}

// WithScene puts the scene into the context that a component is rendered with.
func WithScene(ctx context.Context, s Scene) context.Context {
	return context.WithValue(ctx, sceneKey{}, s)
}

func scene(ctx context.Context) Scene {
	s, _ := ctx.Value(sceneKey{}).(Scene)
	return s
}

// words of the scene, for what a code stands for.
func words(ctx context.Context) *locale.Words { return scene(ctx).Words }

// t is the message of key; args are names and values by turns.
func t(ctx context.Context, key string, args ...string) string {
	return words(ctx).T(key, pairs(args))
}

// n is t in the plural form of count, which the message has as {{.Count}}.
func n(ctx context.Context, key string, count int, args ...string) string {
	return words(ctx).N(key, count, pairs(args))
}

func pairs(args []string) map[string]string {
	if len(args) == 0 {
		return nil
	}
	m := make(map[string]string, len(args)/2)
	for i := 0; i+1 < len(args); i += 2 {
		m[args[i]] = args[i+1]
	}
	return m
}
