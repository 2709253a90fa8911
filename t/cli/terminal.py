"""A program on a terminal of its own: what is typed, what it shows, what is on the screen."""
import fcntl, os, pty, re, select, struct, termios, time


class Terminal:
    def __init__(self, argv, env=None, columns=100, rows=30):
        self.text = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvpe(argv[0], argv, env or os.environ)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text):
        os.write(self.fd, text.encode())

    def read_until(self, pattern, seconds=10):
        """What came, up to a match of `pattern`; what came at all when it did not."""
        end = time.monotonic() + seconds
        while not (found := re.search(pattern, self.text, re.S)):
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                return None
            try:
                self.text += os.read(self.fd, 65536).decode(errors="replace")
            except OSError:
                return None
        head, self.text = self.text[: found.end()], self.text[found.end() :]
        return head

    def close(self):
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
