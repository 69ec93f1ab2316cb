// A preloaded library with which each fsync and fdatasync takes longer by the milliseconds, a native int64, that the
// file named by SLOWSYNC holds at the time: a disk that is slow to make writes durable.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static const volatile int64_t *milliseconds;

__attribute__((constructor)) static void begin(void) {
	const char *name = getenv("SLOWSYNC");
	int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	void *at = file < 0 ? MAP_FAILED : mmap(0, sizeof *milliseconds, PROT_READ, MAP_SHARED, file, 0);
	if (at == MAP_FAILED)
		abort();
	milliseconds = at;
}

static int slowly(const char *name, int file) {
	struct timespec pause = {*milliseconds / 1000, *milliseconds % 1000 * 1000000};
	nanosleep(&pause, 0);
	return ((int (*)(int))dlsym(RTLD_NEXT, name))(file);
}

int fsync(int file) { return slowly("fsync", file); }
int fdatasync(int file) { return slowly("fdatasync", file); }
