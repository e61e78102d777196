/**
 * Identity sets: one supplier of an owner, however a request names it. An owner is an organization, or the payer of an answer. Nobody reads
 * the sets of another owner (rulings 45, 89).
 */
import { and, asc, eq, type SQL, sql } from "drizzle-orm"
import { findCompromisedKeys, stillVouches } from "../buyers/compromised-keys.ts"
import { textOrNull } from "../engine/expressions.ts"
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

/** What the owner knows of the supplier that a request names, without the sets that are linked to it. */
export interface NamedSet {
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
  /** The other sets that the identifiers lead to, and the set with the entity id. */
  readonly others: readonly string[]
  readonly knowsEntity: boolean
  readonly contradictions: readonly Contradiction[]
}

export interface SupplierSet extends NamedSet {
  /** Strict side: every other set that the request or a name of the set leads to. */
  readonly linked: readonly LinkedSet[]
  /** More sets bear the name than {@link LINKED_MAX}. The rest was not read. */
  readonly hasMoreLinked: boolean
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

const text = <T extends string>(value: SQL) => value.mapWith(String) as SQL<T>

const ofSet = ({ supplier: t }: Tables): SQL | undefined =>
  and(eq(t.ownerId, bind("ownerId")), eq(t.rootId, bind("rootId")))

/** The identifiers, and the entity id under the key "". */
const named = query((db, t) => {
  const { supplier, supplierIdentifier: own, supplierEntity: entity } = t
  const { supplierId, rootId } = supplier
  const { key, grade, gradedAt, keyId } = own
  return db
    .select({ key, supplierId, rootId, grade, gradedAt, keyId })
    .from(own)
    .innerJoin(supplier, ofSupplier(t, own))
    .where(and(eq(own.ownerId, bind("ownerId")), sql`${key} in (${sql.join(KEY_NAMES.map(bind), sql`, `)})`))
    .unionAll(
      db
        .select({
          key: text<string>(sql`''`),
          supplierId,
          rootId,
          grade: text<"ADDED">(sql`'ADDED'`),
          gradedAt: text<string>(sql`''`),
          keyId: textOrNull(sql`null`),
        })
        .from(entity)
        .innerJoin(supplier, ofSupplier(t, entity))
        .where(and(eq(entity.ownerId, bind("ownerId")), eq(entity.entityId, bind("entityId")))),
    )
})
/** What a set has: a row for each supplier, for each identifier and for each name. */
const ofRoot = query((db, t) => {
  const { supplier, supplierIdentifier, supplierName } = t
  const row = (kind: "SUPPLIER" | "IDENTIFIER" | "NAME", value: SQL) => ({
    supplierId: supplier.supplierId,
    kind: text<typeof kind>(sql`${kind}`),
    value: text<string>(value),
  })
  // The suppliers first: otherwise SQLite may read all rows of the owner.
  const further = (table: typeof supplierIdentifier | typeof supplierName, fields: ReturnType<typeof row>) =>
    db
      .select(fields)
      .from(supplier)
      .crossJoin(table)
      .where(and(ofSet(t), ofSupplier(t, table)))
  return db
    .select(row("SUPPLIER", sql`''`))
    .from(supplier)
    .where(ofSet(t))
    .unionAll(further(supplierIdentifier, row("IDENTIFIER", sql`${supplierIdentifier.key}`)))
    .unionAll(further(supplierName, row("NAME", sql`${supplierName.nameKey}`)))
})
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

interface Known {
  /** Strongest first. */
  readonly identifiers: readonly KnownIdentifier[]
  /** The set with the entity id. */
  readonly entityRoot: string | null
}

/** What the owner knows by these. */
export function* findNamed(
  ownerId: string,
  { keys, entityId }: Pick<SupplierNaming, "keys" | "entityId">,
): Unit<Known> {
  if (keys.length > KEYS_MAX) throw new RangeError("more identifiers than one request has")
  const values = Object.fromEntries(KEY_NAMES.map((name, at) => [name, keys[at] ?? ""]))
  const found = yield* rows(named, { ownerId, entityId, ...values })
  return {
    identifiers: keys.flatMap((key) => found.find((one) => one.key === key) ?? []),
    entityRoot: found.find(({ key }) => key === "")?.rootId ?? null,
  }
}

interface SetRecords {
  readonly members: readonly string[]
  readonly identifiers: readonly Pick<KnownIdentifier, "key" | "supplierId">[]
  readonly names: readonly string[]
}

const place = (row: { readonly supplierId: string; readonly kind: string; readonly value: string }) =>
  `${row.supplierId}\n${row.kind}\n${row.value}`

/** By supplier, then by identifier or name. */
export function* recordsOfSet(ownerId: string, rootId: string): Unit<SetRecords> {
  const found = (yield* rows(ofRoot, { ownerId, rootId })).sort((one, other) => (place(one) < place(other) ? -1 : 1))
  const ofKind = (wanted: (typeof found)[number]["kind"]) => found.filter(({ kind }) => kind === wanted)
  return {
    members: ofKind("SUPPLIER").map(({ supplierId }) => supplierId),
    identifiers: ofKind("IDENTIFIER").map(({ supplierId, value: key }) => ({ supplierId, key })),
    names: [...new Set(ofKind("NAME").map(({ value }) => value))],
  }
}

/** The set of a record's supplier. */
export function* rootOf(ownerId: string, supplierId: string): Unit<string | null> {
  return (yield* first(rootOfSupplier, { ownerId, supplierId }))?.rootId ?? null
}

export function schemeOf(key: string): string {
  return key.slice(0, key.indexOf(":"))
}

/** Reads the set that a naming leads to. */
export function* readNamedSet(ownerId: string, naming: SupplierNaming): Unit<NamedSet> {
  const { keys, nameKey, entityId } = naming
  const { identifiers: found, entityRoot } = yield* findNamed(ownerId, naming)
  const sets = new Map<string, SetRecords>()
  for (const { rootId } of found) if (!sets.has(rootId)) sets.set(rootId, yield* recordsOfSet(ownerId, rootId))
  const root = rootAmong(sets, nameKey, entityRoot)
  const own = root === null ? null : (sets.get(root) ?? null)
  const names = own?.names ?? []
  const unknown = keys.filter((key) => !found.some((one) => one.key === key))
  const clashing = unknown.filter((key) => own?.identifiers.some((one) => schemeOf(one.key) === schemeOf(key)))
  const others = [...sets.keys()].filter((one) => one !== root)
  const ofAnother = [...found.filter(({ rootId }) => rootId !== root).map(({ key }) => key), ...clashing]
  const ofAll = [own, ...others.map((one) => sets.get(one))].flatMap((set) => set?.identifiers ?? [])
  return {
    naming,
    root,
    members: own?.members ?? [],
    known: found.filter(({ rootId }) => rootId === root),
    unknown,
    clashing,
    recorded: ofAll.map(({ key }) => key),
    names,
    others: [...others, ...(entityRoot === null ? [] : [entityRoot])],
    knowsEntity: entityId === null || entityRoot !== null,
    contradictions: [
      ...keys.filter((key) => ofAnother.includes(key)).map((key) => ({ member: "identifiers", key }) as const),
      ...(nameKey !== "" && names.length > 0 && !names.includes(nameKey) ? [{ member: "legal_name" } as const] : []),
      ...(entityRoot !== null && entityRoot !== root ? [{ member: "entity_id" } as const] : []),
    ],
  }
}

/** Reads the set that a naming leads to, and everything linked to it. */
export function* readSupplierSet(ownerId: string, naming: SupplierNaming): Unit<SupplierSet> {
  const set = yield* readNamedSet(ownerId, naming)
  return { ...set, ...(yield* readLinked(ownerId, set)) }
}

export function* readLinked(
  ownerId: string,
  { naming: { nameKey }, root, names, others }: NamedSet,
): Unit<Pick<SupplierSet, "linked" | "hasMoreLinked">> {
  const roots = new Set(others)
  // The set's own names too, so that leaving the name out loses nothing.
  let hasMoreAlike = false
  for (const name of new Set([...names, ...(nameKey === "" ? [] : [nameKey])])) {
    const alike = yield* rows(namedAlike, { ownerId, nameKey: name, rootId: root ?? "" })
    for (const { rootId, told } of alike) if (told === null) roots.add(rootId)
    hasMoreAlike ||= alike.length > ALIKE_MAX
  }
  if (root !== null) roots.delete(root)
  const compared = [...roots].slice(0, LINKED_MAX)
  const linked: LinkedSet[] = []
  for (const one of compared) linked.push({ root: one, members: (yield* recordsOfSet(ownerId, one)).members })
  return { linked, hasMoreLinked: hasMoreAlike || roots.size > compared.length }
}

/** If the identifiers belong to several sets: the one with the given name, else the one with the entity id, else that of the strongest. */
function rootAmong(sets: ReadonlyMap<string, SetRecords>, nameKey: string, entityRoot: string | null): string | null {
  const [strongest = null] = sets.keys()
  if (sets.size < 2) return strongest
  if (nameKey !== "") for (const [root, { names }] of sets) if (names.includes(nameKey)) return root
  return entityRoot !== null && sets.has(entityRoot) ? entityRoot : strongest
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
