/** Sends datagrams to one Unix socket, by the functions of the C library. Linux only. */
import { dlopen, ptr } from "bun:ffi"

export interface Datagrams {
  /** Never waits. False: nobody took it. */
  readonly send: (text: string) => boolean
}

const AF_UNIX = 1
/** A datagram socket that no child process inherits. */
const DATAGRAM_CLOSED_ON_EXEC = 2 | 0o2_000_000
/** Never waits for a full socket, and raises no signal. */
const DO_NOT_WAIT = 0x40 | 0x40_00
/** glibc, and musl by processor. */
const LIBRARIES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"]

const SYMBOLS = {
  socket: { args: ["i32", "i32", "i32"], returns: "i32" },
  sendto: { args: ["i32", "ptr", "u64", "i32", "ptr", "u32"], returns: "i64" },
} as const

/** `name`: an absolute path, or `@` and an abstract name. Throws if the C library is not found, or gives no socket. */
export function openDatagrams(name: string): Datagrams {
  const { socket, sendto } = loadLibrary().symbols
  const descriptor = socket(AF_UNIX, DATAGRAM_CLOSED_ON_EXEC, 0)
  if (descriptor < 0) throw new Error("the system gives no Unix socket")
  const address = addressOf(name)
  return {
    send: (text) => {
      const bytes = Buffer.from(text)
      return (
        Number(sendto(descriptor, ptr(bytes), bytes.length, DO_NOT_WAIT, ptr(address), address.length)) === bytes.length
      )
    },
  }
}

function loadLibrary() {
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, SYMBOLS)
    } catch {
      // Another C library.
    }
  }
  throw new Error(`none of the libraries ${LIBRARIES.join(", ")} can be loaded`)
}

/** `sockaddr_un`: the family, then a path with its NUL, or a NUL with an abstract name. */
function addressOf(name: string): Uint8Array {
  const family = Buffer.from(new Uint16Array([AF_UNIX]).buffer)
  const place = name.startsWith("@") ? `\0${name.slice(1)}` : `${name}\0`
  return Buffer.concat([family, Buffer.from(place)])
}
