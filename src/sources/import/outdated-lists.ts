/** Lists in use whose parties an earlier parser read. */
import { activeSnapshots } from "../../store/sources/sources.ts"
import { LIST_ROWS } from "../records/list-rows.ts"
import type { ReadAgainParts } from "./read-list-again.ts"

/** At the first start of a release with another parser, reads the kept bytes again. Loads the parsers only then. */
export async function readOutdatedLists(parts: ReadAgainParts): Promise<void> {
  const versions = new Map(Object.entries(LIST_ROWS).map(([id, row]) => [id, row.parserVersion]))
  const actives = await parts.store.read(activeSnapshots)
  const outdated = actives.filter(({ sourceId, parserVersion }) => {
    const version = versions.get(sourceId)
    return version !== undefined && version !== parserVersion
  })
  if (outdated.length === 0) return
  const { readListsAgain } = await import("./read-list-again.ts")
  await readListsAgain(parts, outdated)
}
