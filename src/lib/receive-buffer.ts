import { dlopen } from "bun:ffi";

/** Without a limit, 512 KiB are read at once. The kernel doubles it for its own structures. */
const LIMIT_BYTES = 64 * 1024;

const SOL_SOCKET = 1;
const SO_RCVBUF = 8;
/** Since Linux 5.14: whether the kernel keeps to a size that was set. */
const SO_BUF_LOCK = 72;

type SetOption = (fd: number, name: number, value: number) => boolean;

/** `false` on systems without these options. */
let setOption: SetOption | false | undefined;

/**
 * Limits how much of a TCP connection the kernel receives before it is read. The runtime then reads at
 * most 128 KiB at once. False if the system cannot do or undo it; then nothing changes.
 */
export function limitReceiveBuffer(fd: number | undefined): boolean {
  if (fd === undefined || fd < 0) return false;
  setOption ??= openSetOption();
  if (setOption === false) return false;
  if (!setOption(fd, SO_BUF_LOCK, 0)) {
    setOption = false;
    return false;
  }
  return setOption(fd, SO_RCVBUF, LIMIT_BYTES);
}

/** The kernel adapts the size to the speed of the connection again. */
export function unlimitReceiveBuffer(fd: number | undefined): void {
  if (fd === undefined || fd < 0 || !setOption) return;
  // The kernel only lets a size grow that has become too small for the connection.
  setOption(fd, SO_RCVBUF, 4 * LIMIT_BYTES);
  setOption(fd, SO_BUF_LOCK, 0);
}

function openSetOption(): SetOption | false {
  if (process.platform !== "linux") return false;
  const args = ["i32", "i32", "i32", "ptr", "u32"] as const;
  for (const library of LIBRARIES) {
    try {
      const { symbols } = dlopen(library, { setsockopt: { args, returns: "i32" } });
      const cell = new Int32Array(1);
      return (fd, name, value) => {
        cell[0] = value;
        return symbols.setsockopt(fd, SOL_SOCKET, name, cell, cell.byteLength) === 0;
      };
    } catch {
      // The next one may be there.
    }
  }
  return false;
}

/** Of glibc and of musl. */
const LIBRARIES = ["libc.so.6", "libc.so"];
