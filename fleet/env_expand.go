package fleet

import "strings"

// expands says whether $(NAME) in the container's command, arguments and values means the variable: it does in the pod
// templates of Kubernetes' kinds, whose manifests rely on it. An odysseus/v1 Deployment's texts stand as written.
func (c PodContainer) expands() bool { return c.Name != "" }

// Expanded are the container's command and arguments as its process is given them, with the environment that ResolveEnv
// answered.
func (c PodContainer) Expanded(env []EnvVar) (command, args []string) {
	if !c.expands() {
		return c.Command, c.Args
	}
	values := make(map[string]string, len(env))
	for _, e := range env {
		values[e.Name] = e.Value
	}
	get := func(name string) (string, bool) {
		v, known := values[name]
		return v, known
	}
	return expandAll(c.Command, get), expandAll(c.Args, get)
}

func expandAll(texts []string, get func(string) (string, bool)) []string {
	if texts == nil {
		return nil
	}
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = expand(t, get)
	}
	return out
}

// expand puts variables in the place of $(NAME), by Kubernetes' rules: a name that is not known stays as it stands, $$
// is a dollar sign, so that $$(NAME) is $(NAME), and what was put in is not read again.
func expand(text string, get func(string) (string, bool)) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "$")
		b.WriteString(before)
		switch {
		case !found:
			return b.String()
		case strings.HasPrefix(rest, "$"):
			b.WriteByte('$')
			text = rest[1:]
			continue
		case strings.HasPrefix(rest, "("):
			if name, after, closed := strings.Cut(rest[1:], ")"); closed {
				if v, known := get(name); known {
					b.WriteString(v)
				} else {
					b.WriteString("$(" + name + ")")
				}
				text = after
				continue
			}
		}
		b.WriteByte('$')
		text = rest
	}
}
