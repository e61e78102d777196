/** An organization corrects its own identity sets, by a statement of its mandate key (rulings 89). */
import { and, asc, eq } from "drizzle-orm"
import { findMandateKey } from "../buyers/buyers.ts"
import { bind, bound, first, query, rows, type Unit } from "../engine/unit.ts"
import { anchorSupplier, nameSupplier } from "./supplier-joins.ts"
import { findNamed, type KnownIdentifier, MEMBERS_MAX, NAMES_MAX, recordsOfSet } from "./supplier-sets.ts"

interface SupplierStatement {
  readonly organizationId: string
  readonly action: "LINK" | "UNLINK"
  readonly keys: readonly string[]
  readonly nameKeys: readonly string[]
  readonly entityIds: readonly string[]
  readonly nonce: string
  /** Canonical JSON with its signature, which the caller verified. */
  readonly document: string
  readonly keyId: string
  readonly at: string
}

type StatementOutcome =
  | { readonly kind: "APPLIED"; readonly supplierId: string | null }
  | { readonly kind: "KEY_NOT_ACTIVE" | "TAKEN_BEFORE" | "TOO_LARGE" }

const keep = query((db, t) =>
  db
    .insert(t.supplierStatement)
    .values({
      organizationId: bind("organizationId"),
      nonce: bind("nonce"),
      document: bind("document"),
      keyId: bind("keyId"),
      appliedAt: bind("at"),
    })
    .onConflictDoNothing()
    .returning({ nonce: t.supplierStatement.nonce }),
)
const reroot = query((db, { supplier: t }) =>
  db
    .update(t)
    .set({ rootId: bound("rootId") })
    .where(and(eq(t.ownerId, bind("ownerId")), eq(t.supplierId, bind("supplierId"))))
    .returning({ supplierId: t.supplierId }),
)
const dropIdentifier = query((db, { supplierIdentifier: t }) =>
  db
    .delete(t)
    .where(and(eq(t.ownerId, bind("ownerId")), eq(t.key, bind("key"))))
    .returning({ key: t.key }),
)
const dropName = query((db, { supplierName: t }) =>
  db
    .delete(t)
    .where(and(eq(t.ownerId, bind("ownerId")), eq(t.nameKey, bind("nameKey"))))
    .returning({ supplierId: t.supplierId }),
)
const dropEntity = query((db, { supplierEntity: t }) =>
  db
    .delete(t)
    .where(and(eq(t.ownerId, bind("ownerId")), eq(t.entityId, bind("entityId"))))
    .returning({ entityId: t.entityId }),
)

const settle = query((db, { supplier: t }) =>
  db
    .update(t)
    .set({ disputed: 0 })
    .where(and(eq(t.ownerId, bind("ownerId")), eq(t.supplierId, bind("supplierId"))))
    .returning({ supplierId: t.supplierId }),
)
const disputed = query((db, t) =>
  db
    .select({ supplierId: t.supplier.supplierId, key: t.supplierIdentifier.key })
    .from(t.supplier)
    .crossJoin(t.supplierIdentifier)
    .where(
      and(
        eq(t.supplier.ownerId, bind("ownerId")),
        eq(t.supplier.disputed, 1),
        eq(t.supplierIdentifier.ownerId, bind("ownerId")),
        eq(t.supplierIdentifier.supplierId, t.supplier.supplierId),
      ),
    )
    .orderBy(asc(t.supplier.supplierId), asc(t.supplierIdentifier.key)),
)

/** A supplier that stored records contradicted when the sets were made, and that no statement named since. */
export interface DisputedSupplier {
  readonly supplierId: string
  readonly keys: readonly string[]
}

/** For the operator: reads all suppliers of the owner. */
export function* disputedSuppliers(ownerId: string): Unit<DisputedSupplier[]> {
  const found = new Map<string, string[]>()
  for (const { supplierId, key } of yield* rows(disputed, { ownerId })) {
    found.set(supplierId, [...(found.get(supplierId) ?? []), key])
  }
  return [...found].map(([supplierId, keys]) => ({ supplierId, keys }))
}

/** All or nothing. The same statement is taken once. */
export function* applyStatement(statement: SupplierStatement): Unit<StatementOutcome> {
  const { organizationId, keyId, nonce, document, at, action } = statement
  const key = yield* findMandateKey(organizationId, keyId)
  if (key?.state !== "ACTIVE") return { kind: "KEY_NOT_ACTIVE" }
  const roots = action === "LINK" ? yield* rootsOf(statement) : []
  if (action === "LINK" && (yield* isTooLarge(statement, roots))) return { kind: "TOO_LARGE" }
  if (!(yield* first(keep, { organizationId, nonce, document, keyId, at }))) return { kind: "TAKEN_BEFORE" }
  if (action === "LINK") return { kind: "APPLIED", supplierId: yield* link(statement, roots) }
  yield* unlink(statement)
  return { kind: "APPLIED", supplierId: null }
}

/** The sets that the statement names, in its order. */
function* rootsOf({ organizationId, keys, entityIds }: SupplierStatement): Unit<string[]> {
  const roots = new Set<string>()
  for (const key of keys) {
    const { identifiers } = yield* findNamed(organizationId, { keys: [key], entityId: null })
    for (const { rootId } of identifiers) roots.add(rootId)
  }
  for (const entityId of entityIds) {
    const { entityRoot } = yield* findNamed(organizationId, { keys: [], entityId })
    if (entityRoot !== null) roots.add(entityRoot)
  }
  return [...roots]
}

function* isTooLarge({ organizationId, nameKeys }: SupplierStatement, roots: readonly string[]): Unit<boolean> {
  let members = 0
  const names = new Set(nameKeys)
  for (const root of roots) {
    const set = yield* recordsOfSet(organizationId, root)
    members += set.members.length
    for (const name of set.names) names.add(name)
  }
  return members > MEMBERS_MAX || names.size > NAMES_MAX
}

/** Returns the one set. Records stay with their suppliers, whose root changes. */
function* link(statement: SupplierStatement, roots: readonly string[]): Unit<string> {
  const { organizationId: ownerId, keys, nameKeys, entityIds, nonce, keyId, at } = statement
  const requestId = `statement:${nonce}`
  const [known, ...others] = roots
  const rootId = known ?? requestId
  for (const other of others) {
    for (const supplierId of (yield* recordsOfSet(ownerId, other)).members)
      yield* rows(reroot, { ownerId, supplierId, rootId })
  }
  yield* nameSupplier({ ownerId, supplierId: rootId, at, nameKeys, entityIds })
  for (const key of keys) yield* anchorSupplier({ ownerId, supplierId: rootId, key, requestId, at, keyId })
  for (const supplierId of (yield* recordsOfSet(ownerId, rootId)).members) yield* rows(settle, { ownerId, supplierId })
  return rootId
}

function* unlink({ organizationId: ownerId, keys, nameKeys, entityIds }: SupplierStatement): Unit<void> {
  const named: KnownIdentifier[] = []
  for (const key of keys) named.push(...(yield* findNamed(ownerId, { keys: [key], entityId: null })).identifiers)
  const suppliers = new Map(named.map((one) => [one.supplierId, one.rootId]))
  for (const [supplierId, rootId] of suppliers) {
    yield* rows(settle, { ownerId, supplierId })
    const { members, identifiers } = yield* recordsOfSet(ownerId, rootId)
    const others = members.filter((one) => one !== supplierId)
    const own = identifiers.filter((one) => one.supplierId === supplierId)
    const [next] = others
    if (next === undefined || !own.every(({ key }) => keys.includes(key))) {
      for (const { key } of own) if (keys.includes(key)) yield* rows(dropIdentifier, { ownerId, key })
      continue
    }
    // The merged supplier leaves with its records. If it was the root of the others, the first of them takes its place.
    if (rootId === supplierId) {
      for (const other of others) yield* rows(reroot, { ownerId, supplierId: other, rootId: next })
    }
    yield* rows(reroot, { ownerId, supplierId, rootId: supplierId })
  }
  for (const nameKey of nameKeys) yield* rows(dropName, { ownerId, nameKey })
  for (const entityId of entityIds) yield* rows(dropEntity, { ownerId, entityId })
}
