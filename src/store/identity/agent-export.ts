/** Everything for an export bundle, read on one consistent view: histories, their places in the log, and its head. */
import { asc, eq } from "drizzle-orm"
import { readLeafData } from "../../core/leaf-data.ts"
import { bind, query, rows, type Unit } from "../engine/unit.ts"
import {
  inclusionPath,
  inclusionPaths,
  leafData,
  leavesAt,
  mapPath,
  readTreeHead,
  type TreeHead,
} from "../log/transparency-log.ts"
import { findIdentity, type Identity } from "./agent-identity.ts"
import { isStatusUnknown } from "./paused-agents.ts"
import { serviceIdentities } from "./service-identities.ts"
import { listAllServiceKeys, type ServiceKey } from "./service-keys.ts"

export interface StoredEvent {
  readonly eventJson: string
  readonly signaturesJson: string
  readonly receiptJson: string
  /** RFC 3339. */
  readonly acceptedAt: string
}

export interface LoggedPlace {
  readonly logIndex: number
  /** Root of the map after the event. */
  readonly mapRoot: Uint8Array
  readonly inclusionPath: readonly Uint8Array[]
}

/** One identity's events, oldest first, each with its place in the log, and the newest event's path in the map. */
interface ProvenHistory {
  readonly agentId: string
  /** RFC 3339, of the newest event. */
  readonly headAcceptedAt: string
  readonly events: readonly StoredEvent[]
  readonly places: readonly LoggedPlace[]
  readonly mapPath: readonly Uint8Array[]
}

export interface ExportFacts {
  readonly identity: Identity
  /** Its newest event is from before a restore, so a later one may be lost. */
  readonly isUnknown: boolean
  readonly history: ProvenHistory
  readonly head: TreeHead
  readonly lastLeaf: { readonly data: Uint8Array; readonly inclusionPath: readonly Uint8Array[] }
  readonly service: readonly (ProvenHistory & { readonly use: "statement" | "log" })[]
  /** The service's signing keys of all uses, from the same view. */
  readonly serviceKeys: readonly ServiceKey[]
}

type ExportOutcome =
  | { readonly kind: "FOUND"; readonly facts: ExportFacts }
  | { readonly kind: "NOT_FOUND" }
  | { readonly kind: "TOO_LONG" }

const eventsOf = query((db, t) =>
  db
    .select({
      eventJson: t.agentEvent.eventJson,
      signaturesJson: t.agentEvent.signaturesJson,
      receiptJson: t.agentEvent.receiptJson,
      acceptedAt: t.agentEvent.acceptedAt,
    })
    .from(t.agentEvent)
    .where(eq(t.agentEvent.agentId, bind("agentId")))
    .orderBy(asc(t.agentEvent.sequence)),
)

/** `eventsMax` limits the events of all histories in the bundle. */
export function* readExport(agentId: string, eventsMax: number): Unit<ExportOutcome> {
  const identity = yield* findIdentity(agentId)
  if (!identity) return { kind: "NOT_FOUND" }
  const head = yield* readTreeHead()
  const events = yield* rows(eventsOf, { agentId })
  const service: { use: "statement" | "log"; agentId: string; events: StoredEvent[] }[] = []
  for (const { use, agentId: own } of yield* serviceIdentities()) {
    if (use !== "sandbox") service.push({ use, agentId: own, events: yield* rows(eventsOf, { agentId: own }) })
  }
  const count = service.reduce((sum, own) => sum + own.events.length, events.length)
  if (count > eventsMax) return { kind: "TOO_LONG" }
  const last = head.size - 1
  const lastLeaf = { data: yield* leaf(last), inclusionPath: yield* inclusionPath(last, head.size) }
  const history = yield* proven(agentId, events, head.size)
  const provenService: (ProvenHistory & { use: "statement" | "log" })[] = []
  for (const own of service)
    provenService.push({ use: own.use, ...(yield* proven(own.agentId, own.events, head.size)) })
  const serviceKeys = yield* listAllServiceKeys()
  const isUnknown = yield* isStatusUnknown(identity)
  return { kind: "FOUND", facts: { identity, isUnknown, history, head, lastLeaf, service: provenService, serviceKeys } }
}

function* leaf(index: number): Unit<Uint8Array> {
  const data = yield* leafData(index)
  if (!data) throw new Error("an identity exists and the log is empty")
  return data
}

function* proven(agentId: string, events: readonly StoredEvent[], size: number): Unit<ProvenHistory> {
  const indices = events.map(({ receiptJson }) => logIndexOf(receiptJson))
  const leaves = yield* leavesAt(indices)
  const paths = yield* inclusionPaths(indices, size)
  const places = indices.map((logIndex, at) => ({
    logIndex,
    mapRoot: mapRootOf(leaves[at]),
    inclusionPath: paths[at] ?? [],
  }))
  const newest = yield* mapPath(agentId)
  if (!newest) throw new Error("an identity has no entry in the map")
  const headAcceptedAt = events.at(-1)?.acceptedAt
  if (headAcceptedAt === undefined) throw new Error("an identity has no event")
  return { agentId, headAcceptedAt, events, places, mapPath: newest.path }
}

function mapRootOf(data: Uint8Array | undefined): Uint8Array {
  const read = data && readLeafData(data)
  if (!read) throw new Error("a leaf of the log has not the form of a leaf")
  return read.mapRoot
}

/** Only the receipt holds an event's log index, because the receipt is signed with it. */
function logIndexOf(receiptJson: string): number {
  const { payload } = JSON.parse(receiptJson) as { payload: { log_index: number | null } }
  if (payload.log_index === null) throw new Error("an accepted event has no place in the log")
  return payload.log_index
}
