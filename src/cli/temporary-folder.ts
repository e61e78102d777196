import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { CommandError, EXIT } from "../base/exit.ts"
import { errnoOf } from "../base/system-fault.ts"

/**
 * Runs `use` with an empty folder that is removed afterwards. It lies in the folder for temporary files, or beside `file` where that one cannot be
 * written, as on a machine with a read-only root. Throws CommandError (7) if neither can be written.
 */
export async function withTemporaryFolder<Result>(
  file: string,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = madeIn([tmpdir(), dirname(resolve(file))])
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function madeIn(parents: readonly string[]): string {
  const faults: string[] = []
  for (const parent of parents) {
    try {
      return mkdtempSync(join(parent, "bizauth-"))
    } catch (error) {
      const code = errnoOf(error)
      if (code === null) throw error
      faults.push(`${parent} (${code})`)
    }
  }
  throw new CommandError(
    EXIT.DATA,
    `no temporary folder can be made in ${faults.join(" or ")}; name a folder that this user may write with TMPDIR`,
  )
}
