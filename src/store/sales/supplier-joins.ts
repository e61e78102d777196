/** What a delivered authorization adds to the identity sets of its owner (rulings 89). A decision that was held adds nothing. */
import { and, eq } from "drizzle-orm"
import { bind, bound, query, rows, type Unit } from "../engine/unit.ts"
import { keepAnchors } from "./record-anchors.ts"
import {
  anchorsAmong,
  mayAnchor,
  type NamedSet,
  readLinked,
  readNamedSet,
  type SupplierNaming,
} from "./supplier-sets.ts"

/** A register's current legal name for an identifier. */
export interface RegisteredName {
  readonly key: string
  readonly nameKey: string
}

/** How a delivered answer names a supplier. */
export interface NamedSupplier {
  readonly naming: SupplierNaming
  /** Names that the look-up of this answer found. */
  readonly registered: readonly RegisteredName[]
}

/** A delivered authorization of one owner. */
interface DeliveredNaming extends NamedSupplier {
  readonly ownerId: string
  readonly requestId: string
  /** "" for an answer without one. */
  readonly destination: string
  readonly decidedAt: string
  /** The key that signed it; null if none did. */
  readonly keyId: string | null
  /** It rests on a change authorization or a payee verification for its destination. */
  readonly isVerified: boolean
}

const insertSupplier = query((db, t) =>
  db
    .insert(t.supplier)
    .values({
      ownerId: bind("ownerId"),
      supplierId: bind("supplierId"),
      rootId: bind("supplierId"),
      disputed: 0,
      createdAt: bind("at"),
    })
    .onConflictDoNothing()
    .returning({ supplierId: t.supplier.supplierId }),
)
const insertIdentifier = query((db, t) =>
  db
    .insert(t.supplierIdentifier)
    .values({
      ownerId: bind("ownerId"),
      key: bind("key"),
      supplierId: bind("supplierId"),
      grade: bind("grade"),
      requestId: bind("requestId"),
      gradedAt: bind("at"),
      keyId: bind("keyId"),
    })
    .onConflictDoNothing()
    .returning({ key: t.supplierIdentifier.key }),
)
const anchorIdentifier = query((db, t) =>
  db
    .update(t.supplierIdentifier)
    .set({ grade: bound("grade"), requestId: bound("requestId"), gradedAt: bound("at"), keyId: bound("keyId") })
    .where(and(eq(t.supplierIdentifier.ownerId, bind("ownerId")), eq(t.supplierIdentifier.key, bind("key"))))
    .returning({ key: t.supplierIdentifier.key }),
)
const insertName = query((db, t) =>
  db
    .insert(t.supplierName)
    .values({ ownerId: bind("ownerId"), nameKey: bind("nameKey"), supplierId: bind("supplierId") })
    .onConflictDoNothing()
    .returning({ nameKey: t.supplierName.nameKey }),
)
const insertEntity = query((db, t) =>
  db
    .insert(t.supplierEntity)
    .values({ ownerId: bind("ownerId"), entityId: bind("entityId"), supplierId: bind("supplierId") })
    .onConflictDoNothing()
    .returning({ entityId: t.supplierEntity.entityId }),
)
const insertDistinct = query((db, t) =>
  db
    .insert(t.supplierDistinct)
    .values({ ownerId: bind("ownerId"), one: bind("one"), other: bind("other") })
    .onConflictDoNothing()
    .returning({ other: t.supplierDistinct.other }),
)

/**
 * Whether the register of an anchor gives the supplier this name now. Then another name than those of the set is the same supplier's.
 */
export function isRegisteredName(
  nameKey: string,
  registered: readonly RegisteredName[],
  anchors: readonly string[],
): boolean {
  return registered.some((one) => one.nameKey === nameKey && anchors.includes(one.key))
}

/**
 * Joins the identifiers, the name and the entity id of a delivered authorization, and returns the id under which its record is kept. What
 * belongs to another set meanwhile is not joined: nothing is refused after money moved.
 */
export function* joinSupplier(delivered: DeliveredNaming): Unit<string> {
  const { ownerId, requestId, naming, registered, decidedAt: at } = delivered
  const set = yield* readNamedSet(ownerId, naming)
  const linked = delivered.isVerified ? (yield* readLinked(ownerId, set)).linked : []
  const supplierId = set.root ?? requestId
  if (set.root === null) yield* rows(insertSupplier, { ownerId, supplierId, at })
  const before = (yield* anchorsAmong(ownerId, set.known)).map(({ key }) => key)
  const isNamed = namesIt(set, registered, before)
  const isWhole = set.contradictions.every(({ member }) => member === "legal_name" && isNamed)
  const anchors = yield* joinIdentifiers(delivered, {
    set,
    supplierId,
    before,
    isVerified: delivered.isVerified && isWhole,
  })
  if (isNamed) yield* rows(insertName, { ownerId, nameKey: naming.nameKey, supplierId })
  // An entity id of another set stays there.
  if (naming.entityId !== null && !set.knowsEntity)
    yield* rows(insertEntity, { ownerId, entityId: naming.entityId, supplierId })
  if (isWhole) {
    for (const { root } of linked) {
      yield* rows(insertDistinct, { ownerId, one: supplierId, other: root })
      yield* rows(insertDistinct, { ownerId, one: root, other: supplierId })
    }
  }
  const { destination } = delivered
  yield* keepAnchors({ ownerId, keys: anchors, destination, decidedAt: at, requestId })
  return supplierId
}

/** Whether the given name is, or becomes, a name of the set. */
function namesIt({ naming, names }: NamedSet, registered: readonly RegisteredName[], anchors: readonly string[]) {
  const { nameKey } = naming
  if (nameKey === "") return false
  return names.length === 0 || names.includes(nameKey) || isRegisteredName(nameKey, registered, anchors)
}

/** What a delivered authorization joins. */
interface Joining {
  readonly set: NamedSet
  readonly supplierId: string
  /** Keys of the anchors that the set had before. */
  readonly before: readonly string[]
  /** The request is verified and contradicts nothing of the set. */
  readonly isVerified: boolean
}

/** Returns the identifiers of the request that are anchors now. */
function* joinIdentifiers(
  { ownerId, requestId, naming, registered, decidedAt: at, keyId }: DeliveredNaming,
  { set, supplierId, before, isVerified }: Joining,
): Unit<string[]> {
  const anchors = [...before]
  for (const key of naming.keys) {
    const isKnown = set.known.some((one) => one.key === key)
    if (before.includes(key) || (!isKnown && !set.unknown.includes(key)) || set.clashing.includes(key)) continue
    // A name that only this request gives the set proves nothing.
    const hasItsName = registered.some((one) => one.key === key && set.names.includes(one.nameKey))
    const isSure = mayAnchor(key) && (set.root === null || isVerified || hasItsName)
    const grade = isSure ? "ANCHOR" : "ADDED"
    const row = { ownerId, key, grade, requestId, at, keyId }
    if (!isKnown) yield* rows(insertIdentifier, { ...row, supplierId })
    else if (isSure) yield* rows(anchorIdentifier, row)
    if (isSure) anchors.push(key)
  }
  return anchors
}

/** Makes the supplier if it does not exist, and gives it names and the entity ids that no other supplier has. */
export function* nameSupplier(named: {
  readonly ownerId: string
  readonly supplierId: string
  readonly at: string
  readonly nameKeys: readonly string[]
  readonly entityIds: readonly string[]
}): Unit<void> {
  const { ownerId, supplierId, at } = named
  yield* rows(insertSupplier, { ownerId, supplierId, at })
  for (const nameKey of named.nameKeys) yield* rows(insertName, { ownerId, nameKey, supplierId })
  for (const entityId of named.entityIds) yield* rows(insertEntity, { ownerId, entityId, supplierId })
}

/** Makes an identifier an anchor: where it is, or of this supplier if no set has it. An EIN only links. */
export function* anchorSupplier(anchored: {
  readonly ownerId: string
  readonly supplierId: string
  readonly key: string
  readonly requestId: string
  readonly at: string
  readonly keyId: string
}): Unit<void> {
  const grade = mayAnchor(anchored.key) ? "ANCHOR" : "ADDED"
  const isNew = (yield* rows(insertIdentifier, { ...anchored, grade })).length > 0
  if (!isNew && grade === "ANCHOR") yield* rows(anchorIdentifier, { ...anchored, grade })
}
