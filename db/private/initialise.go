package private

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// initialise makes the engine's folder if it does not exist. It works in a folder beside it that gets the name when it
// is complete, so that a killed one is repeated.
func (s *Server) initialise(ctx context.Context, e engine) error {
	s.removeUnfinished(e)
	dir := filepath.Join(s.dir, e.name)
	if exists(dir) {
		return nil
	}
	s.log.Info("creating the database", "engine", e.title+" "+e.version.String(), "dir", dir)
	unfinished, err := os.MkdirTemp(s.dir, e.name+".new-")
	if err != nil {
		return explain(s.dir, err)
	}
	defer os.RemoveAll(unfinished)
	if err := s.fill(ctx, e, unfinished); err != nil {
		return err
	}
	if err := writeVersion(unfinished, e); err != nil {
		return explain(s.dir, err)
	}
	if err := flush(unfinished); err != nil {
		return explain(s.dir, err)
	}
	return os.Rename(unfinished, dir)
}

// removeUnfinished is best effort: an initialiser whose owner was killed may still be writing.
func (s *Server) removeUnfinished(e engine) {
	left, _ := filepath.Glob(filepath.Join(escapeGlob(s.dir), e.name+".new-*"))
	for _, dir := range left {
		s.log.Info("removing an unfinished database", "dir", dir)
		os.RemoveAll(dir)
	}
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func (s *Server) fill(ctx context.Context, e engine, dir string) error {
	cmd, err := e.kind.initialise(ctx, e, dir)
	if err != nil {
		return NotInstalled(e.server, "", err)
	}
	temp, err := s.emptyTemp(e)
	if err != nil {
		return explain(s.dir, err)
	}
	log, err := s.logOf(e.name).open()
	if err != nil {
		return explain(s.dir, err)
	}
	defer log.Close()
	log.WriteString(logMark)
	cmd.Args = append(cmd.Args, "--tmpdir="+temp)
	cmd.Args = append(cmd.Args, s.extra("innodb-")...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // all of its session
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("create the database: %w", s.startError(s.logOf(e.name), cmd.ProcessState.String()))
	}
	return nil
}
