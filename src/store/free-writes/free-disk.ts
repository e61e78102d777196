/** The free space on the disk of the data directory, and what it is kept for. */
import { statfsSync } from "node:fs"
import type { Machine } from "../../base/machine.ts"

export const MEGABYTE = 1024 * 1024
/**
 * CHOICE: free writes end at twice the free space at which sales end. So what is left to be sold has room, whatever is sent for nothing.
 */
const FREE_WRITE_FLOORS = 2
/** A flood writes a few megabytes in this time, and the space between the two floors takes them. */
const MEASURED_MS = 100

/** Bytes that this user may still write on the disk of the directory. Throws the errors of the operating system. */
export function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

/** Free bytes below which nothing is written for nothing. `saleMinimumMb` in MiB. */
export function freeWriteFloor(saleMinimumMb: number): number {
  return FREE_WRITE_FLOORS * saleMinimumMb * MEGABYTE
}

/** Returns whether free writes leave enough room for sales, as it was at most a tenth of a second ago. `saleMinimumMb` in MiB. */
export function spaceForFreeWrites(
  directory: string,
  saleMinimumMb: number,
  machine: Pick<Machine, "monotonic">,
): () => boolean {
  let measured = Number.NEGATIVE_INFINITY
  let hasSpace = false
  return () => {
    const now = machine.monotonic()
    if (now - measured >= MEASURED_MS) {
      hasSpace = freeBytes(directory) >= freeWriteFloor(saleMinimumMb)
      measured = now
    }
    return hasSpace
  }
}
