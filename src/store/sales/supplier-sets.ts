/**
 * Identity sets: one supplier of an owner, however a request names it. An owner is an organization, or the payer of an answer. Nobody reads
 * the sets of another owner (rulings 45, 89).
 */
import { and, asc, eq, type SQL, sql } from "drizzle-orm"
import { findCompromisedKeys, stillVouches } from "../buyers/compromised-keys.ts"
import { bind, first, query, rows, type Tables, type Unit } from "../engine/unit.ts"

/** How a request or an answer names a supplier. */
export interface SupplierNaming {
  /** Such as `lei:…`, at most one of each scheme, strongest first. */
  readonly keys: readonly string[]
  /** Normalised legal name; "" if none is given. */
  readonly nameKey: string
  /** Null where requests have none. */
  readonly entityId: string | null
}

/** An identifier that the owner knows. */
export interface KnownIdentifier {
  readonly key: string
  readonly supplierId: string
  /** The set. */
  readonly rootId: string
  readonly grade: "ANCHOR" | "ADDED"
  readonly gradedAt: string
  /** The key that signed what gave the grade; null if none did. */
  readonly keyId: string | null
}

/** Another set that bears one of the same names, or that the request also names. */
interface LinkedSet {
  readonly root: string
  readonly members: readonly string[]
}

/** A member of the naming that belongs to another supplier than the rest of it. `key`: of an identifier. */
export type Contradiction =
  | { readonly member: "identifiers"; readonly key: string }
  | { readonly member: "legal_name" | "entity_id" }

/** What the owner knows of the supplier that a request names. */
export interface SupplierSet {
  readonly naming: SupplierNaming
  /** Null: none of the identifiers is known. */
  readonly root: string | null
  /** The ids under which the set has records: one, and one for each set merged into it. */
  readonly members: readonly string[]
  /** The request's identifiers that are in the set. */
  readonly known: readonly KnownIdentifier[]
  /** The request's identifiers that no set has. */
  readonly unknown: readonly string[]
  /** The request's identifiers of a scheme of which the set has another value. A part of `unknown`. */
  readonly clashing: readonly string[]
  /** Every identifier of the sets that the request's identifiers lead to, of any grade. */
  readonly recorded: readonly string[]
  /** The names of the set. */
  readonly names: readonly string[]
  /** Strict side: every other set that the request or a name of the set leads to. */
  readonly linked: readonly LinkedSet[]
  /** More sets bear the name than {@link LINKED_MAX}. The rest was not read. */
  readonly hasMoreLinked: boolean
  readonly knowsEntity: boolean
  readonly contradictions: readonly Contradiction[]
}

/** The most identifiers that one request names: one of each scheme. */
const KEYS_MAX = 5
/** The most other sets of one name that one decision compares. */
const LINKED_MAX = 16
/** The most suppliers of one name that are read, told apart or not. Beyond it no destination of them is released without authorization. */
const ALIKE_MAX = 64
/** The most sets that a merge joins, and the most names of one set. */
export const MEMBERS_MAX = 16
export const NAMES_MAX = 32

const KEY_NAMES = Array.from({ length: KEYS_MAX }, (_, at) => `key${at}`)

/** The row of `supplier` that another table's row names. */
const ofSupplier = (
  t: Tables,
  row: Tables["supplierIdentifier" | "supplierName" | "supplierEntity"],
): SQL | undefined => and(eq(t.supplier.ownerId, row.ownerId), eq(t.supplier.supplierId, row.supplierId))

const ofSet = ({ supplier: t }: Tables): SQL | undefined =>
  and(eq(t.ownerId, bind("ownerId")), eq(t.rootId, bind("rootId")))

const identifierColumns = ({ supplierIdentifier: own, supplier }: Tables) => ({
  key: own.key,
  supplierId: own.supplierId,
  rootId: supplier.rootId,
  grade: own.grade,
  gradedAt: own.gradedAt,
  keyId: own.keyId,
})

const identifiers = query((db, t) =>
  db
    .select(identifierColumns(t))
    .from(t.supplierIdentifier)
    .innerJoin(t.supplier, ofSupplier(t, t.supplierIdentifier))
    .where(
      and(
        eq(t.supplierIdentifier.ownerId, bind("ownerId")),
        sql`${t.supplierIdentifier.key} in (${sql.join(KEY_NAMES.map(bind), sql`, `)})`,
      ),
    ),
)
const identifiersOfSet = query((db, t, words) =>
  db
    .select({ key: t.supplierIdentifier.key, supplierId: t.supplierIdentifier.supplierId })
    .from(t.supplier)
    // The members first: otherwise SQLite may read all identifiers of the owner.
    .crossJoin(t.supplierIdentifier)
    .where(
      and(
        ofSet(t),
        eq(t.supplierIdentifier.ownerId, bind("ownerId")),
        eq(t.supplierIdentifier.supplierId, t.supplier.supplierId),
      ),
    )
    // The order must not use an index: the index in this order has all suppliers of the owner, so the query would read all of them.
    .orderBy(words.withoutIndex(t.supplier.supplierId), asc(t.supplierIdentifier.key)),
)
const members = query((db, { supplier: t }) =>
  db
    .select({ supplierId: t.supplierId })
    .from(t)
    .where(and(eq(t.ownerId, bind("ownerId")), eq(t.rootId, bind("rootId"))))
    .orderBy(asc(t.supplierId)),
)
const names = query((db, t, words) =>
  db
    .select({ nameKey: t.supplierName.nameKey })
    .from(t.supplier)
    .crossJoin(t.supplierName)
    .where(and(ofSet(t), ofSupplier(t, t.supplierName)))
    // The order must not use an index, for the same reason.
    .orderBy(words.withoutIndex(t.supplier.supplierId), asc(t.supplierName.nameKey)),
)
const entity = query((db, t) =>
  db
    .select({ rootId: t.supplier.rootId })
    .from(t.supplierEntity)
    .innerJoin(t.supplier, ofSupplier(t, t.supplierEntity))
    .where(and(eq(t.supplierEntity.ownerId, bind("ownerId")), eq(t.supplierEntity.entityId, bind("entityId")))),
)
/** Suppliers that bear a name. `told`: null unless an authorized destination told their set apart from `rootId`. */
const namedAlike = query((db, t) =>
  db
    .select({ rootId: t.supplier.rootId, told: t.supplierDistinct.other })
    .from(t.supplierName)
    .innerJoin(t.supplier, ofSupplier(t, t.supplierName))
    .leftJoin(
      t.supplierDistinct,
      and(
        eq(t.supplierDistinct.ownerId, bind("ownerId")),
        eq(t.supplierDistinct.one, bind("rootId")),
        eq(t.supplierDistinct.other, t.supplier.rootId),
      ),
    )
    .where(and(eq(t.supplierName.ownerId, bind("ownerId")), eq(t.supplierName.nameKey, bind("nameKey"))))
    .orderBy(asc(t.supplierName.supplierId))
    .limit(ALIKE_MAX + 1),
)
const rootOfSupplier = query((db, { supplier: t }) =>
  db
    .select({ rootId: t.rootId })
    .from(t)
    .where(and(eq(t.ownerId, bind("ownerId")), eq(t.supplierId, bind("supplierId")))),
)

/** The identifiers that the owner knows, strongest first. */
export function* findIdentifiers(ownerId: string, keys: readonly string[]): Unit<KnownIdentifier[]> {
  if (keys.length > KEYS_MAX) throw new RangeError("more identifiers than one request has")
  const values = Object.fromEntries(KEY_NAMES.map((name, at) => [name, keys[at] ?? ""]))
  const found = yield* rows(identifiers, { ownerId, ...values })
  return found.sort((one, other) => keys.indexOf(one.key) - keys.indexOf(other.key))
}

export function* identifiersOf(ownerId: string, rootId: string): Unit<Pick<KnownIdentifier, "key" | "supplierId">[]> {
  return yield* rows(identifiersOfSet, { ownerId, rootId })
}

export function* membersOf(ownerId: string, rootId: string): Unit<string[]> {
  return (yield* rows(members, { ownerId, rootId })).map(({ supplierId }) => supplierId)
}

export function* namesOf(ownerId: string, rootId: string): Unit<string[]> {
  return [...new Set((yield* rows(names, { ownerId, rootId })).map(({ nameKey }) => nameKey))]
}

/** The set with this entity id. */
export function* setOfEntity(ownerId: string, entityId: string): Unit<string | null> {
  return (yield* first(entity, { ownerId, entityId }))?.rootId ?? null
}

/** The set of a record's supplier. */
export function* rootOf(ownerId: string, supplierId: string): Unit<string | null> {
  return (yield* first(rootOfSupplier, { ownerId, supplierId }))?.rootId ?? null
}

export function schemeOf(key: string): string {
  return key.slice(0, key.indexOf(":"))
}

/** Reads the set that a naming leads to, and everything linked to it. */
export function* readSupplierSet(ownerId: string, naming: SupplierNaming): Unit<SupplierSet> {
  const { keys, nameKey, entityId } = naming
  const found = yield* findIdentifiers(ownerId, keys)
  const entityRoot = entityId === null ? null : yield* setOfEntity(ownerId, entityId)
  const root = yield* rootAmong(ownerId, found, nameKey, entityRoot)
  const unknown = keys.filter((key) => !found.some((one) => one.key === key))
  const ofSet = root === null ? [] : yield* identifiersOf(ownerId, root)
  const clashing = unknown.filter((key) => ofSet.some((one) => schemeOf(one.key) === schemeOf(key)))
  const own = root === null ? [] : yield* namesOf(ownerId, root)
  const others = found.filter(({ rootId }) => rootId !== root)
  const ofAll = [...ofSet]
  for (const other of new Set(others.map(({ rootId }) => rootId))) ofAll.push(...(yield* identifiersOf(ownerId, other)))
  const linked = new Set([...others.map(({ rootId }) => rootId), ...(entityRoot === null ? [] : [entityRoot])])
  // The set's own names too, so that leaving the name out loses nothing.
  let hasMoreAlike = false
  for (const name of new Set([...own, ...(nameKey === "" ? [] : [nameKey])])) {
    const alike = yield* rows(namedAlike, { ownerId, nameKey: name, rootId: root ?? "" })
    for (const { rootId, told } of alike) if (told === null) linked.add(rootId)
    hasMoreAlike ||= alike.length > ALIKE_MAX
  }
  if (root !== null) linked.delete(root)
  const compared = [...linked].slice(0, LINKED_MAX)
  const sets: LinkedSet[] = []
  for (const one of compared) sets.push({ root: one, members: yield* membersOf(ownerId, one) })
  const ofAnother = [...others.map(({ key }) => key), ...clashing]
  return {
    naming,
    root,
    members: root === null ? [] : yield* membersOf(ownerId, root),
    known: found.filter(({ rootId }) => rootId === root),
    unknown,
    clashing,
    recorded: ofAll.map(({ key }) => key),
    names: own,
    linked: sets,
    hasMoreLinked: hasMoreAlike || linked.size > compared.length,
    knowsEntity: entityId === null || entityRoot !== null,
    contradictions: [
      ...keys.filter((key) => ofAnother.includes(key)).map((key) => ({ member: "identifiers", key }) as const),
      ...(nameKey !== "" && own.length > 0 && !own.includes(nameKey) ? [{ member: "legal_name" } as const] : []),
      ...(entityRoot !== null && entityRoot !== root ? [{ member: "entity_id" } as const] : []),
    ],
  }
}

/** If the identifiers belong to several sets: the one with the given name, else the one with the entity id, else that of the strongest. */
function* rootAmong(
  ownerId: string,
  found: readonly KnownIdentifier[],
  nameKey: string,
  entityRoot: string | null,
): Unit<string | null> {
  const roots = [...new Set(found.map(({ rootId }) => rootId))]
  const strongest = roots[0] ?? null
  if (roots.length < 2) return strongest
  if (nameKey !== "") for (const root of roots) if ((yield* namesOf(ownerId, root)).includes(nameKey)) return root
  return entityRoot !== null && roots.includes(entityRoot) ? entityRoot : strongest
}

/** Every id under which the strict side has records: of the set, and of the sets that are linked to it. */
export function linkedIds({ members: own, linked }: Pick<SupplierSet, "members" | "linked">): readonly string[] {
  return [...own, ...linked.flatMap((one) => one.members)]
}

/** No open register publishes EINs, so an EIN vouches for nobody (rulings 50). */
export function mayAnchor(key: string): boolean {
  return schemeOf(key) !== "ein"
}

/**
 * The identifiers of the request that can vouch: the anchors of its set, or all that could become anchors if the owner knows none of them. An
 * identifier whose grade was signed by a key that was lost by then is none.
 */
export function* readAnchors(ownerId: string, { root, known, naming }: SupplierSet): Unit<string[]> {
  if (root === null) return naming.keys.filter(mayAnchor)
  return (yield* anchorsAmong(ownerId, known)).map(({ key }) => key)
}

export function* anchorsAmong(ownerId: string, known: readonly KnownIdentifier[]): Unit<KnownIdentifier[]> {
  const graded = known.filter(({ grade }) => grade === "ANCHOR")
  const lost = yield* findCompromisedKeys(
    ownerId,
    graded.map(({ keyId }) => keyId),
  )
  return graded.filter(({ keyId, gradedAt }) => keyId === null || stillVouches({ keyId, signedAt: gradedAt }, lost))
}
