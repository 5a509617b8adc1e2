package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
)

// mostToken bounds the token's file: what is longer is some other file.
const mostToken = 4096

// enrol answers who the node is: from the state directory where it is known ("with one there the token is not used
// again"), otherwise by trading the token for a credential, for as long as the control plane is away. What the
// control plane refuses for good ends it.
func (a *Agent) enrol(ctx context.Context, s *state) (identity, error) {
	id, known, err := s.identity()
	if err != nil {
		return identity{}, err
	}
	if known {
		return id, a.checkIdentity(id)
	}
	token, err := readToken(a.config.EnrolmentTokenFile)
	if err != nil {
		return identity{}, a.wrap("enrol", err)
	}
	wrong := condition{log: a.log}
	retry := backoff{random: a.random}
	for {
		status := a.status()
		answer, err := a.client.Enrol(ctx, Enrolment{Token: token, Name: a.config.Name, Cluster: a.config.Cluster, Runtime: a.runtime.Name(),
			Labels: status.Labels, Capacity: status.Capacity})
		if err == nil {
			a.obey(answer.Pace)
			id = identity{Node: a.config.Name, Cluster: a.config.Cluster, Credential: answer.Credential}
			if err := s.keepIdentity(id); err != nil {
				return identity{}, fmt.Errorf("keep credential (delete the node before enrolling it anew): %w", err)
			}
			a.log.InfoContext(ctx, "enrolled", "cluster", id.Cluster)
			return id, nil
		}
		if why := final(err); why != "" {
			return identity{}, fmt.Errorf("%w: %s", err, why)
		}
		wrong.begins(ctx, slog.LevelWarn, "cannot enrol yet", err)
		if !a.wait(ctx, a.pauseAfter(err, &retry)) {
			return identity{}, ctx.Err()
		}
	}
}

// checkIdentity refuses to speak for another node than the configuration names.
func (a *Agent) checkIdentity(id identity) error {
	if id.Node != a.config.Name || id.Cluster != a.config.Cluster {
		return fmt.Errorf("state directory %s belongs to node %s of cluster %s, the configuration names node %s of cluster %s: "+
			"give this node a state_dir of its own, or delete the old node and its state directory",
			a.config.StateDir, id.Node, id.Cluster, a.config.Name, a.config.Cluster)
	}
	return nil
}

// final says what to do about an enrolment that trying again would not mend; empty where it would.
func final(err error) string {
	if errors.Is(err, errNoCredential) {
		return "is control_plane the address of a control plane?"
	}
	answer := (*AnswerError)(nil)
	switch {
	case !errors.As(err, &answer):
		return "" // unreachable, or something in between answered
	case errors.Is(err, ErrUnauthenticated):
		return "the enrolment token is used, expired or unknown: make a new one"
	case errors.Is(err, ErrConflict):
		return "the name is taken: choose another, or, where this machine enrolled before and lost its state directory, delete the node first"
	case errors.Is(err, ErrRefused):
		return "correct the configuration: the token is not used up"
	case errors.Is(err, ErrRedirect):
		return "redirects are not followed: write the control plane's own address"
	case answer.passing():
		return ""
	}
	return "is control_plane the address of a control plane?"
}

func readToken(file string) (string, error) {
	if file == "" {
		return "", errors.New("enrolment_token_file is not set, and the state directory holds no credential")
	}
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("read enrolment token: %w", err)
	}
	b, err := io.ReadAll(io.LimitReader(f, mostToken+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("read enrolment token: %w", err)
	}
	token := strings.TrimSpace(string(b))
	if token == "" || len(b) > mostToken {
		return "", fmt.Errorf("read enrolment token: %s holds no token", file)
	}
	return token, nil
}
