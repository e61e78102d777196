/** All data of one log head, page by page in key order, for a comparison with the log's leaves. */
import { asc, gt } from "drizzle-orm"
import { bind, query, rows, type Unit } from "../engine/unit.ts"

/** Large, because one unit reads all pages on one view, and a unit has a statement limit. */
const ROWS_AT_ONCE = 32_768
const START = new Uint8Array(0)

interface StoredMapEntry {
  readonly mapKey: Uint8Array
  readonly eventDigest: Uint8Array
  readonly logIndex: number
}

interface StoredMapBranch {
  /** One byte of depth, then the key's bits down to it. */
  readonly position: Uint8Array
  readonly leftHash: Uint8Array
  readonly rightHash: Uint8Array
}

interface AgentHead {
  readonly agentId: string
  readonly headEventDigest: string
}

const entries = query((db, t) =>
  db
    .select()
    .from(t.logMapEntry)
    .where(gt(t.logMapEntry.mapKey, bind("after")))
    .orderBy(asc(t.logMapEntry.mapKey))
    .limit(ROWS_AT_ONCE),
)
const branches = query((db, t) =>
  db
    .select()
    .from(t.logMapBranch)
    .where(gt(t.logMapBranch.position, bind("after")))
    .orderBy(asc(t.logMapBranch.position))
    .limit(ROWS_AT_ONCE),
)
const heads = query((db, t) =>
  db
    .select({ agentId: t.agent.agentId, headEventDigest: t.agent.headEventDigest })
    .from(t.agent)
    .where(gt(t.agent.agentId, bind("after")))
    .orderBy(asc(t.agent.agentId))
    .limit(ROWS_AT_ONCE),
)

/** `last`: the last row of the previous page; null for the first page. An empty page is the end. */
export function* mapEntriesAfter(last: StoredMapEntry | null): Unit<readonly StoredMapEntry[]> {
  return yield* rows(entries, { after: last?.mapKey ?? START })
}

export function* mapBranchesAfter(last: StoredMapBranch | null): Unit<readonly StoredMapBranch[]> {
  return yield* rows(branches, { after: last?.position ?? START })
}

export function* agentHeadsAfter(last: AgentHead | null): Unit<readonly AgentHead[]> {
  return yield* rows(heads, { after: last?.agentId ?? "" })
}
