package migrations

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/counterfoil/counterfoil/domain/csvfile"
	"github.com/counterfoil/counterfoil/domain/domaintest"
	"github.com/counterfoil/counterfoil/domain/fault"
	"github.com/counterfoil/counterfoil/domain/id"
	"pgregory.net/rapid"
)

// partialFiller is a filler that stops after some rows, as one whose worker died.
type partialFiller struct {
	file     string
	cursor   string
	left     int
	payloads []string
	rejected []string
}

var errStopped = errors.New("stopped")

func (p *partialFiller) Run() id.Run    { return 0 }
func (p *partialFiller) Values() Values { return nil }
func (p *partialFiller) Cursor() string { return p.cursor }
func (p *partialFiller) Upload(context.Context) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(p.file)), nil
}

func (p *partialFiller) step(cursor string) error {
	if p.left--; p.left < 0 {
		return errStopped
	}
	p.cursor = cursor
	return nil
}

func (p *partialFiller) Add(_ context.Context, task NewTask) error {
	err := p.step(task.Cursor)
	if err == nil {
		p.payloads = append(p.payloads, fmt.Sprint(task.Line, " ", task.Payload))
	}
	return err
}

func (p *partialFiller) Reject(_ context.Context, r Rejection) error {
	err := p.step(r.Cursor)
	if err == nil {
		p.rejected = append(p.rejected, fmt.Sprint(r.Line, " ", r.Reason))
	}
	return err
}

func TestFillCSV(t *testing.T) {
	t.Parallel()
	maker := func(*csvfile.File) (func(csvfile.Row) (string, error), error) {
		return func(row csvfile.Row) (string, error) {
			if row.Fields[0] == "no" {
				return "", errors.New("No.")
			}
			return strings.Join(row.Fields, "+"), nil
		}, nil
	}
	t.Run("an interrupted fill resumes with neither double nor missing rows", func(t *testing.T) {
		t.Parallel()
		p := &partialFiller{file: "a,b\n1,2\nno,2\n\"3\n3\",4\n5\n6,7\n"}
		for range 10 {
			p.left = 1
			if err := FillCSV(t.Context(), p, csvfile.Options{}, maker); err == nil {
				break
			} else if !errors.Is(err, errStopped) {
				t.Fatal(err)
			}
		}
		if want := []string{"2 1+2", "4 3\n3+4", "7 6+7"}; !slices.Equal(p.payloads, want) {
			t.Errorf("got %q, want %q", p.payloads, want)
		}
		if want := []string{"3 No.", "6 The row has 1 fields, the header 2."}; !slices.Equal(p.rejected, want) {
			t.Errorf("got %q, want %q", p.rejected, want)
		}
	})
	t.Run("a file without rows is refused", func(t *testing.T) {
		t.Parallel()
		domaintest.Is(t, FillCSV(t.Context(), &partialFiller{file: "a,b\n"}, csvfile.Options{}, maker), csvfile.CodeBadFile)
	})
}

func TestSheet(t *testing.T) {
	t.Parallel()
	t.Run("its header comes once above all parts, and nothing in it is calculated", func(t *testing.T) {
		t.Parallel()
		var out bytes.Buffer
		parts := [][]string{{"=1+1", "+1", "-1", "@x", "\tx", "a=b", "", "x,\"y\"\nz"}, {"＝1"}}
		sheet := Sheet{head: []string{"a", "=b"}, part: func(_ context.Context, write func(...string)) (bool, error) {
			write(parts[0]...)
			parts = parts[1:]
			return len(parts) > 0, nil
		}}
		w := csv.NewWriter(&out)
		for more := true; more; {
			var err error
			if more, err = sheet.WriteSome(t.Context(), w); err != nil {
				t.Fatal(err)
			}
		}
		if want := "a,'=b\n'=1+1,'+1,'-1,'@x,'\tx,a=b,,\"x,\"\"y\"\"\nz\"\n'＝1\n"; out.String() != want {
			t.Errorf("got %q, want %q", out.String(), want)
		}
	})
	t.Run("a failing writer ends it", func(t *testing.T) {
		t.Parallel()
		sheet := Sheet{part: func(_ context.Context, write func(...string)) (bool, error) {
			write("x")
			return true, nil
		}}
		domaintest.Fails(sheet.WriteSome(t.Context(), csv.NewWriter(fullDisk{})))(t, io.ErrShortWrite)
	})
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func BenchmarkCSV(b *testing.B) {
	file := "a,b,c\n" + strings.Repeat("https://example.com/image.png,\"some text, quoted\",12345\n", 100_000)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		c, err := csvfile.Open(strings.NewReader(file), csvfile.Options{})
		for err == nil {
			_, err = c.Next()
		}
	}
}

func TestFillers(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	t.Run("pieces cover a range exactly, from wherever they go on", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			first := rapid.Uint64Range(0, 50).Draw(r, "first")
			last := rapid.Uint64Range(0, 80).Draw(r, "last")
			size := rapid.Uint64Range(1, 20).Draw(r, "size")
			next := first
			into := &partialFiller{left: 1 << 30}
			if rapid.Bool().Draw(r, "goes on") && first <= last {
				next = rapid.Uint64Range(first, last).Draw(r, "next") + 1
				into.cursor = strconv.FormatUint(next-1, 10)
			}
			err := FillRange(ctx, into, first, last, size, func(from, to uint64) string {
				if from != next || to < from || to > last || to-from >= size {
					r.Fatalf("%d to %d after %d", from, to, next)
				}
				next = to + 1
				return ""
			})
			if err != nil || first <= last && next != last+1 {
				r.Fatal(next, err)
			}
		})
	})
	t.Run("the largest id there is ends a range", func(t *testing.T) {
		calls := 0
		if err := FillRange(ctx, &partialFiller{left: 1 << 30}, ^uint64(0)-3, ^uint64(0), 3,
			func(uint64, uint64) string { calls++; return "" }); err != nil || calls != 2 {
			t.Error(calls, err)
		}
	})
	t.Run("pages are asked for until one is empty", func(t *testing.T) {
		into := &partialFiller{left: 1 << 30, cursor: "2"}
		var got []uint64
		err := FillPages(ctx, into, func(_ context.Context, after uint64) (page []uint64, err error) {
			for id := after + 1; id <= min(after+3, 10); id++ {
				page = append(page, id)
			}
			return page, nil
		}, func(n uint64) (uint64, string) { got = append(got, n); return n, "" })
		if err != nil || fmt.Sprint(got) != "[3 4 5 6 7 8 9 10]" {
			t.Error(got, err)
		}
	})
	t.Run("a source that goes back is a mistake", func(t *testing.T) {
		err := FillPages(ctx, &partialFiller{left: 1 << 30},
			func(context.Context, uint64) ([]uint64, error) { return []uint64{2, 1}, nil },
			func(n uint64) (uint64, string) { return n, "" })
		if err == nil || fault.KindOf(err) != "" {
			t.Error(err)
		}
	})
	t.Run("a cursor that is no id is a mistake", func(t *testing.T) {
		if err := FillRange(ctx, &partialFiller{cursor: "x"}, 1, 2, 1, nil); err == nil {
			t.Error("it was taken")
		}
	})
}
