// clock FILE PROGRAM [ARGUMENT...] runs a program whose calendar clock differs from the machine's by the seconds, a
// native int64, that FILE holds at the time. Its monotonic clock is the machine's.
//
// A preloaded library does not do this to a program in Go, which reads the clock from the vDSO without libc. Here the
// vDSO is hidden from the program, a filter stops its calls of clock_gettime(CLOCK_REALTIME), and a child of this
// process answers them as its tracer. The program keeps the process id. What it starts keeps the vDSO, and its clock.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef __x86_64__
#error "clock.c knows the registers of x86-64 alone"
#endif

static void fail(const char *what) {
	perror(what);
	_exit(125);
}

static uint64_t peek(pid_t pid, uint64_t at) { return ptrace(PTRACE_PEEKDATA, pid, at, 0); }

// hide_vdso walks over arguments and environment to the auxiliary vector of a program that begins.
static void hide_vdso(pid_t pid) {
	struct user_regs_struct regs;
	ptrace(PTRACE_GETREGS, pid, 0, &regs);
	uint64_t at = regs.rsp + 8;
	for (int lists = 0; lists < 2; lists++) {
		while (peek(pid, at) != 0)
			at += 8;
		at += 8;
	}
	for (; peek(pid, at) != AT_NULL; at += 16)
		if (peek(pid, at) == AT_SYSINFO_EHDR)
			ptrace(PTRACE_POKEDATA, pid, at, AT_IGNORE);
}

static void answer(pid_t pid, const volatile int64_t *ahead) {
	struct user_regs_struct regs;
	struct timespec now;
	ptrace(PTRACE_GETREGS, pid, 0, &regs);
	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_sec += *ahead;
	struct iovec ours = {&now, sizeof now}, theirs = {(void *)regs.rsi, sizeof now};
	regs.rax = process_vm_writev(pid, &ours, 1, &theirs, 1, 0) == sizeof now ? 0 : -EFAULT;
	regs.orig_rax = -1; // the kernel does nothing
	ptrace(PTRACE_SETREGS, pid, 0, &regs);
}

static void trace(pid_t program, const volatile int64_t *ahead) {
	for (;;) {
		int status;
		pid_t pid = waitpid(-1, &status, __WALL);
		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0)
			_exit(0);
		if (!WIFSTOPPED(status))
			continue;
		int signal = WSTOPSIG(status), how = PTRACE_CONT, pass = 0;
		switch (status >> 16) {
		case PTRACE_EVENT_EXEC:
			if (pid == program)
				hide_vdso(pid);
			break;
		case PTRACE_EVENT_SECCOMP:
			answer(pid, ahead);
			break;
		case PTRACE_EVENT_STOP:
			if (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU)
				how = PTRACE_LISTEN; // it stands still until SIGCONT
			break;
		case 0:
			pass = signal;
		}
		ptrace(how, pid, 0, pass);
	}
}

static void filter(void) {
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLOCK_REALTIME, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		fail("install a filter of system calls");
}

int main(int argc, char **argv) {
	int ready[2];
	if (argc < 3) {
		fputs("clock FILE PROGRAM [ARGUMENT...]\n", stderr);
		return 125;
	}
	int file = open(argv[1], O_RDONLY | O_CLOEXEC);
	int64_t *ahead = mmap(0, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
	if (file < 0 || ahead == MAP_FAILED)
		fail(argv[1]);
	if (pipe(ready))
		fail("pipe");
	pid_t program = getpid(), tracer = fork();
	if (tracer < 0)
		fail("fork");
	if (tracer == 0) {
		long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |
			PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL;
		setsid();
		char done = ptrace(PTRACE_SEIZE, program, 0, options) == 0;
		if (!done)
			perror("trace the program");
		for (int fd = 0; fd < 3; fd++)
			close(fd); // a reader of the program's output waits for its end
		if (write(ready[1], &done, 1) != 1 || !done)
			_exit(125);
		close(ready[0]);
		close(ready[1]);
		trace(program, ahead);
	}
	char done = 0;
	prctl(PR_SET_PTRACER, tracer, 0, 0, 0); // where only ancestors may trace
	if (read(ready[0], &done, 1) != 1 || !done)
		return 125;
	close(ready[0]);
	close(ready[1]);
	filter();
	execvp(argv[2], argv + 2);
	fail(argv[2]);
}
