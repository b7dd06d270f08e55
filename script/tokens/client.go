package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// client speaks MCP to a server over stdio.
type client struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

// connect starts the server in a folder.
func connect(blq, dir string) (*client, error) {
	cmd := exec.Command(blq, "mcp", "serve")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "BLQ_DIR=")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &client{cmd: cmd, in: in, out: bufio.NewReader(out)}
	_, err = c.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "tokens", "version": "1"},
	})
	if err == nil {
		err = c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	}
	return c, err
}

func (c *client) close() {
	_ = c.in.Close() // the server ends when its input ends
	_ = c.cmd.Wait()
}

func (c *client) send(message any) error { return json.NewEncoder(c.in).Encode(message) }

// request sends a request and returns its result.
func (c *client) request(method string, params any) (json.RawMessage, error) {
	c.id++
	if err := c.send(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		switch {
		case answer.ID != c.id: // a notification
		case answer.Error != nil:
			return nil, fmt.Errorf("%s: %s", method, answer.Error.Message)
		default:
			return answer.Result, nil
		}
	}
}

// call calls a tool and returns the text of its answer.
func (c *client) call(tool string, arguments map[string]any) (string, error) {
	result, err := c.request("tools/call", map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		return "", err
	}
	var answer struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal(result, &answer); err != nil || len(answer.Content) == 0 {
		return "", fmt.Errorf("%s: no answer: %w", tool, err)
	}
	if answer.IsError {
		return "", fmt.Errorf("%s: %s", tool, answer.Content[0].Text)
	}
	return answer.Content[0].Text, nil
}
