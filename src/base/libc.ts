/** Functions of the system's C library that the runtime does not offer. */
import { dlopen, type FFIFunction } from "bun:ffi"

/** glibc, musl by processor, and macOS. */
const LIBRARIES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1", "libSystem.B.dylib"]

/** Throws if no C library is found. */
export function functionsOfLibc<const S extends Record<string, FFIFunction>>(symbols: S) {
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, symbols).symbols
    } catch {
      // Another C library.
    }
  }
  throw new Error(`none of the libraries ${LIBRARIES.join(", ")} can be loaded`)
}
