"""Runs a program, aborts it once a file has a text, and says whether the kernel wrote a core of it.

    core_of.py FILE TEXT PROGRAM [ARGUMENT...]

The program may write cores of any size, and FILE gets its output.
"""
import json
import os
import resource
import signal
import subprocess
import sys

PATIENCE_S = 20


def main():
    file, text, *argv = sys.argv[1:]
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    with open(file, "ab") as out:
        child = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=os.path.dirname(file),
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (hard, hard)))
        signal.signal(signal.SIGALRM, lambda *_: child.kill())
        signal.alarm(PATIENCE_S)
        for line in child.stdout:
            out.write(line)
            if text.encode() in line:
                break
        else:
            sys.exit(f"{argv[0]} did not say {text}")
    os.kill(child.pid, signal.SIGABRT)
    status = os.waitpid(child.pid, 0)[1]
    print(json.dumps({"signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
                      "core": os.WCOREDUMP(status)}))


main()
