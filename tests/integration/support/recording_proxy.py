"""Passes connections on and keeps the bytes of each, in both directions.

    recording_proxy.py LISTEN TARGET DIRECTORY

Connection N leaves DIRECTORY/N.up (to TARGET) and DIRECTORY/N.down. Runs until it is killed.
"""
import pathlib
import selectors
import sys

import curve_wire as wire


def main():
    listen, target, directory = sys.argv[1:]
    host, port = listen.removeprefix("tcp://").rsplit(":", 1)
    server = wire.socket.create_server((host, int(port)))
    selector = selectors.DefaultSelector()
    selector.register(server, selectors.EVENT_READ)
    count = 0
    while True:
        for key, _ in selector.select():
            if key.fileobj is server:
                ours, _ = server.accept()
                try:
                    theirs = wire.connect(target)
                except OSError:
                    ours.close()
                    continue
                theirs.settimeout(None)
                for one, other, name in ((ours, theirs, "up"), (theirs, ours, "down")):
                    file = open(pathlib.Path(directory) / f"{count}.{name}", "wb", buffering=0)
                    selector.register(one, selectors.EVENT_READ, (other, file))
                count += 1
                continue
            other, file = key.data
            try:
                data = key.fileobj.recv(1 << 16)
                other.sendall(data)
            except OSError:
                data = b""
            file.write(data)
            if not data:
                for one in (key.fileobj, other):
                    try:
                        selector.unregister(one)
                    except KeyError:
                        pass
                    one.close()


main()
