/** How near the caps are that all callers share, and the floor of free writes. */
import { formatInstant } from "../../core/time.ts"
import { freeBytes, freeWriteFloor, MEGABYTE } from "../../store/free-writes/free-disk.ts"
import { type CapUse, sharedUse } from "../../store/free-writes/shared-use.ts"
import type { Inspected } from "./inspected.ts"
import { about, type Line } from "./line.ts"

/** A cap that is fuller than this is a note. */
const NOTED_PART = 0.75

export async function shareLines({ config, paths, store, machine }: Inspected): Promise<readonly Line[]> {
  const uses = await store.read(() => sharedUse(machine.now()))
  return [floorLine(freeBytes(paths.directory), freeWriteFloor(config.disk_free_min_mb)), ...capLines(uses)]
}

function floorLine(free: number, floor: number): Line {
  const line = about(
    "shares",
    "free writes",
    "free calls that write are refused while the disk is kept for what is sold",
  )
  const what = `${Math.floor(free / MEGABYTE)} MiB free; free writes stop below ${floor / MEGABYTE} MiB`
  return free < floor
    ? line.problem(what, "free space on the disk, or move the directory to a larger one")
    : line.ok(what)
}

function capLines(uses: readonly CapUse[]): Line[] {
  const high = uses.filter(({ used, max }) => used > NOTED_PART * max)
  const all = about("shares", "caps", "a caller whose share of a cap is used up waits until its window ends")
  const told = uses.map(({ cap, used, max }) => `${cap} ${used} of ${max}`).join(", ")
  return [
    all.ok(told),
    ...high.map(({ cap, used, max, endsAt }) =>
      about("shares", cap, "new addresses have a tenth of it; the others wait").note(
        `${used} of ${max}${endsAt === null ? "" : `, until ${formatInstant(endsAt)}`}`,
        "look for the addresses of the flood in the log of your proxy, and block them there",
      ),
    ),
  ]
}
