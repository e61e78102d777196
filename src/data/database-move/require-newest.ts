import { instant } from "../../core/time.ts"
import { DatabaseRefused } from "../../store/engine/store-error.ts"
import type { TablesView } from "../../store/engine/tables.ts"
import { SHORTER_LOG, type ShorterLog, shorterLogText } from "../../store/log/shorter-log.ts"
import type { Restore } from "../../store/restores.ts"
import type { DataPaths } from "../data-paths.ts"
import { readSizeRecord, sizeRecordPath } from "../log-size-record.ts"
import { movedTables } from "./moved-tables.ts"

/** A move must not make a database servable that may not be served. Throws {@link DatabaseRefused} for one whose log is shorter than it was. */
export async function requireNewest(tables: TablesView, { directory }: DataPaths): Promise<void> {
  const noted = await tables.meta(SHORTER_LOG)
  if (noted !== null) {
    const shorter = JSON.parse(noted) as ShorterLog
    throw new DatabaseRefused(`${tables.name} cannot be moved, as it cannot be served: ${shorterLogText(shorter)}`)
  }
  const record = readSizeRecord(directory)
  const leaves = movedTables().find(({ name }) => name === "log_leaf")
  if (record === null || !leaves) return
  const size = await tables.count(leaves)
  if (size >= record.size) return
  const restores = JSON.parse((await tables.meta("restores")) ?? "[]") as readonly Restore[]
  if (restores.some(({ restored_at }) => instant(restored_at) > instant(record.at))) return
  throw new DatabaseRefused(
    `${tables.name} cannot be moved, as it cannot be served: the transparency log has ${size} leaves, but on ${record.at} it had ${record.size} by ${sizeRecordPath(directory)}. This is an older copy: put back the newest state, or record the restore first`,
  )
}
