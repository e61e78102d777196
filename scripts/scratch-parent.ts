import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const MEMORY = "/dev/shm"
const FREE_BYTES_MIN = 4 * 2 ** 30

/**
 * Returns the folder for the temporary files of the tests: the memory file system where it has 4 GiB free and runs programs, else the
 * system's. The databases of the tests wait for the disk at each commit, which is a third of the whole time on a virtual disk. A killed
 * process loses as little in memory as on a disk, so the crash tests prove the same.
 */
export function scratchParent(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= FREE_BYTES_MIN && runsPrograms(MEMORY) ? MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** A container may mount the file system without the permission to run programs, which some tests copy to their folder. */
function runsPrograms(folder: string): boolean {
  const own = mkdtempSync(join(folder, "bizauth-runs-"))
  try {
    const program = join(own, "program")
    writeFileSync(program, "#!/bin/sh\nexit 0\n")
    chmodSync(program, 0o700)
    return Bun.spawnSync([program]).exitCode === 0
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}
