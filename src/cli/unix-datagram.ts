/** Sends datagrams to one Unix socket, by the functions of the C library. Linux only. */
import { ptr } from "bun:ffi"
import { functionsOfLibc } from "../base/libc.ts"

export interface Datagrams {
  /** Never waits. False: nobody took it. */
  readonly send: (text: string) => boolean
}

const AF_UNIX = 1
/** A datagram socket that no child process inherits. */
const DATAGRAM_CLOSED_ON_EXEC = 2 | 0o2_000_000
/** Never waits for a full socket, and raises no signal. */
const DO_NOT_WAIT = 0x40 | 0x40_00

const SYMBOLS = {
  socket: { args: ["i32", "i32", "i32"], returns: "i32" },
  sendto: { args: ["i32", "ptr", "u64", "i32", "ptr", "u32"], returns: "i64" },
} as const

/** `name`: an absolute path, or `@` and an abstract name. Throws if the C library is not found, or gives no socket. */
export function openDatagrams(name: string): Datagrams {
  const { socket, sendto } = functionsOfLibc(SYMBOLS)
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

/** `sockaddr_un`: the family, then a path with its NUL, or a NUL with an abstract name. */
function addressOf(name: string): Uint8Array {
  const family = Buffer.from(new Uint16Array([AF_UNIX]).buffer)
  const place = name.startsWith("@") ? `\0${name.slice(1)}` : `${name}\0`
  return Buffer.concat([family, Buffer.from(place)])
}
