/**
 * Makes the identity sets of the authorizations that an older database stores, in the order in which they were decided, as if each had been
 * delivered now. What contradicts a set is not joined to it; both sets are marked as disputed. The computation stays as it was when the
 * migration was released: later changes of the product do not change it.
 */
import { type FillSteps, fillRows, fillText } from "../../fill.ts"

const ORDER = `
  SELECT request_id FROM (
    SELECT request_id, decided_at FROM authorization_record WHERE decision IN ('ALLOW', 'ALLOW_WITH_CONDITIONS')
    UNION ALL
    SELECT request_id, decided_at FROM answer_record WHERE decision IN ('APPROVE', 'CONDITIONAL'))
  ORDER BY decided_at, request_id`

const DECISION = `
  SELECT a.organization_id AS owner, NULL AS organization, a.mandate_key_id AS key_id, a.supplier_name_key AS name_key,
      a.supplier_entity_id AS entity_id, a.destination_fingerprint AS destination, a.decided_at, r.request_json, d.facts_json
    FROM authorization_record a JOIN decision_request r ON r.id = a.request_id LEFT JOIN delivery d ON d.request_id = a.request_id
    WHERE a.request_id = ?1`
const ANSWER = `
  SELECT a.owner, a.organization_id AS organization, a.key_id, a.name_key, NULL AS entity_id,
      coalesce(a.destination_fingerprint, '') AS destination, a.decided_at, r.request_json, d.facts_json
    FROM answer_record a JOIN decision_request r ON r.id = a.request_id LEFT JOIN delivery d ON d.request_id = a.request_id
    WHERE a.request_id = ?1`

interface Stored {
  readonly owner: string
  readonly organization: string | null
  readonly key_id: string | null
  readonly name_key: string
  readonly entity_id: string | null
  readonly destination: string
  readonly decided_at: string
  readonly request_json: string
  readonly facts_json: string | null
}

interface Naming {
  readonly requestId: string
  readonly owner: string
  readonly keyId: string | null
  readonly keys: readonly string[]
  readonly nameKey: string
  readonly entityId: string | null
  readonly destination: string
  readonly at: string
  readonly registered: readonly { readonly key: string; readonly nameKey: string }[]
  readonly isVerified: boolean
}

const INDEXES = `
  CREATE INDEX authorization_record_allowed ON authorization_record (organization_id, supplier_id, decided_at, request_id)
    WHERE decision = 'ALLOW';
  CREATE INDEX authorization_record_supplier ON authorization_record (organization_id, supplier_id, decided_at, request_id)
    WHERE decision IN ('ALLOW', 'ALLOW_WITH_CONDITIONS');
  CREATE INDEX authorization_record_obligation
    ON authorization_record (organization_id, supplier_id, obligation_key, decided_at, request_id)
    WHERE decision IN ('ALLOW', 'ALLOW_WITH_CONDITIONS');
  CREATE INDEX answer_record_obligation ON answer_record (owner, product, supplier_id, obligation_key, decided_at, request_id)
    WHERE decision IN ('APPROVE', 'CONDITIONAL');
  INSERT INTO spent_change (organization_id, supplier_id, changed_at, execution_id)
    SELECT s.organization_id, coalesce(a.organization_supplier_id, s.subject), s.changed_at, s.execution_id
      FROM spent_change_of_subject s JOIN answer_record a ON a.execution_id = s.execution_id;
  DROP TABLE spent_change_of_subject`

const KEEP_DECISION = "UPDATE authorization_record SET supplier_id = ?2 WHERE request_id = ?1"
const KEEP_ANSWER = "UPDATE answer_record SET supplier_id = ?2, organization_supplier_id = ?3 WHERE request_id = ?1"

export function* fillIdentitySets(): FillSteps<void> {
  // All at once: the rows change while they are read.
  for (const { request_id: requestId } of yield* fillRows<{ request_id: string }>(ORDER)) {
    const [decided] = yield* fillRows<Stored>(DECISION, requestId)
    if (decided) {
      const naming = namingOf(requestId, decided)
      if (naming.keys.length > 0) yield* fillRows(KEEP_DECISION, requestId, yield* join(naming))
    }
    const [answered] = yield* fillRows<Stored>(ANSWER, requestId)
    if (!answered) continue
    const naming = namingOf(requestId, answered)
    if (naming.keys.length === 0) continue
    const ofPayer = yield* join({ ...naming, keyId: null, isVerified: false })
    const { organization } = answered
    const ofOrganization = organization && (yield* join({ ...naming, owner: organization, isVerified: false }))
    yield* fillRows(KEEP_ANSWER, requestId, ofPayer, ofOrganization)
  }
  yield* fillText(INDEXES)
}

const SQL = {
  find: "SELECT supplier_id, grade FROM supplier_identifier WHERE owner_id = ?1 AND key = ?2",
  schemes: "SELECT key FROM supplier_identifier WHERE owner_id = ?1 AND supplier_id = ?2",
  names: "SELECT name_key FROM supplier_name WHERE owner_id = ?1 AND supplier_id = ?2",
  named: "SELECT supplier_id FROM supplier_name WHERE owner_id = ?1 AND name_key = ?2",
  entity: "SELECT supplier_id FROM supplier_entity WHERE owner_id = ?1 AND entity_id = ?2",
  make: "INSERT INTO supplier (owner_id, supplier_id, root_id, disputed, created_at) VALUES (?1, ?2, ?2, 0, ?3) ON CONFLICT DO NOTHING",
  dispute: "UPDATE supplier SET disputed = 1 WHERE owner_id = ?1 AND supplier_id = ?2",
  add: `INSERT INTO supplier_identifier (owner_id, key, supplier_id, grade, request_id, graded_at, key_id)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (owner_id, key)
      DO UPDATE SET grade = excluded.grade, request_id = excluded.request_id, graded_at = excluded.graded_at, key_id = excluded.key_id`,
  addName: "INSERT INTO supplier_name (owner_id, name_key, supplier_id) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
  addEntity:
    "INSERT INTO supplier_entity (owner_id, entity_id, supplier_id) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
  tellApart:
    "INSERT INTO supplier_distinct (owner_id, one, other) VALUES (?1, ?2, ?3), (?1, ?3, ?2) ON CONFLICT DO NOTHING",
  anchor:
    "INSERT INTO record_anchor (owner_id, key, destination, decided_at, request_id) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
} as const

interface Found {
  readonly supplier_id: string
  readonly grade: string
}

/** Adds the record to the sets in the database; no set is merged, so a supplier is its own root. Returns the supplier of the record. */
function* join(naming: Naming): FillSteps<string> {
  const { owner, requestId, keys, nameKey, entityId, at, keyId, registered } = naming
  const found = new Map<string, Found | undefined>()
  for (const key of keys) found.set(key, (yield* fillRows<Found>(SQL.find, owner, key))[0])
  const known = keys.flatMap((key) => found.get(key)?.supplier_id ?? [])[0] ?? null
  const supplier = known ?? requestId
  if (known === null) yield* fillRows(SQL.make, owner, supplier, at)
  const names = yield* column(SQL.names, "name_key", owner, supplier)
  const schemes = (yield* column(SQL.schemes, "key", owner, supplier)).map(schemeOf)
  const anchors = keys.filter((key) => found.get(key)?.supplier_id === supplier && found.get(key)?.grade === "ANCHOR")
  const isNamed =
    nameKey !== "" &&
    (names.length === 0 ||
      names.includes(nameKey) ||
      registered.some((one) => one.nameKey === nameKey && anchors.includes(one.key)))
  const clashing = keys.filter((key) => !found.get(key) && schemes.includes(schemeOf(key)))
  const others = keys.flatMap((key) => found.get(key)?.supplier_id ?? []).filter((one) => one !== supplier)
  const [ofEntity] = entityId === null ? [] : yield* fillRows<{ supplier_id: string }>(SQL.entity, owner, entityId)
  const isDisputed =
    clashing.length > 0 ||
    others.length > 0 ||
    (nameKey !== "" && !isNamed) ||
    (ofEntity !== undefined && ofEntity.supplier_id !== supplier)
  const isSure = naming.isVerified && !isDisputed
  for (const key of keys) {
    if (
      anchors.includes(key) ||
      clashing.includes(key) ||
      (found.get(key) ?? { supplier_id: supplier }).supplier_id !== supplier
    )
      continue
    const hasItsName = registered.some((one) => one.key === key && names.includes(one.nameKey))
    const grade = schemeOf(key) !== "ein" && (known === null || isSure || hasItsName) ? "ANCHOR" : "ADDED"
    if (found.get(key) && grade === "ADDED") continue
    yield* fillRows(SQL.add, owner, key, supplier, grade, requestId, at, keyId)
    if (grade === "ANCHOR") anchors.push(key)
  }
  if (isNamed) yield* fillRows(SQL.addName, owner, nameKey, supplier)
  if (entityId !== null) yield* fillRows(SQL.addEntity, owner, entityId, supplier)
  if (isDisputed)
    yield* markDisputed(naming, [supplier, ...others, ...(ofEntity ? [ofEntity.supplier_id] : [])], clashing)
  if (isSure) yield* tellApartFrom(owner, supplier, [...new Set([...names, nameKey])])
  for (const key of anchors) yield* fillRows(SQL.anchor, owner, key, naming.destination, at, requestId)
  return supplier
}

/** A second value of a scheme makes a set of its own, which bears the same name. */
function* markDisputed(naming: Naming, suppliers: readonly string[], clashing: readonly string[]): FillSteps<void> {
  const { owner, requestId, nameKey, at, keyId } = naming
  const second = `${requestId}/2`
  if (clashing.length > 0) yield* fillRows(SQL.make, owner, second, at)
  for (const key of clashing) yield* fillRows(SQL.add, owner, key, second, "ADDED", requestId, at, keyId)
  if (clashing.length > 0 && nameKey !== "") yield* fillRows(SQL.addName, owner, nameKey, second)
  for (const one of [...suppliers, second]) yield* fillRows(SQL.dispute, owner, one)
}

function* tellApartFrom(owner: string, supplier: string, names: readonly string[]): FillSteps<void> {
  const others: string[] = []
  for (const name of names) others.push(...(yield* column(SQL.named, "supplier_id", owner, name)))
  for (const other of others) {
    if (other !== supplier) yield* fillRows(SQL.tellApart, owner, supplier, other)
  }
}

function* column(sql: string, name: string, ...values: string[]): FillSteps<string[]> {
  return (yield* fillRows<Record<string, string>>(sql, ...values)).map((row) => row[name] ?? "")
}

function namingOf(requestId: string, stored: Stored): Naming {
  const { supplier, company } = JSON.parse(stored.request_json) as {
    supplier?: { identifiers?: Record<string, string> }
    company?: { identifiers?: Record<string, string> }
  }
  const facts = factsOf(stored.facts_json)
  return {
    requestId,
    owner: stored.owner,
    keyId: stored.key_id,
    keys: keysOf(supplier?.identifiers ?? company?.identifiers ?? {}),
    nameKey: stored.name_key,
    entityId: stored.entity_id,
    destination: stored.destination,
    at: stored.decided_at,
    registered: (facts?.registration?.lookups ?? []).flatMap(({ scheme, value, registered_name: name }) =>
      name === null ? [] : [{ key: `${scheme}:${value}`, nameKey: nameKeyOf(name) }],
    ),
    isVerified: (facts?.resolved_references ?? []).some(
      ({ kind, destination_fingerprint: to }) => kind !== "DECISION" && to === stored.destination,
    ),
  }
}

interface Facts {
  readonly registration?: {
    readonly lookups?: readonly {
      readonly scheme: string
      readonly value: string
      readonly registered_name: string | null
    }[]
  } | null
  readonly resolved_references?: readonly { readonly kind: string; readonly destination_fingerprint: string }[]
}

/** Facts are long, and most have nothing of what is looked for. */
function factsOf(json: string | null): Facts | null {
  if (json === null) return null
  const isBare =
    !json.includes('"lookups":') &&
    (json.includes('"resolved_references":[]') || !json.includes('"resolved_references":'))
  return isBare ? null : (JSON.parse(json) as Facts)
}

const SCHEMES = ["lei", "uei", "cage", "cik", "ein"]

/** Strongest first. A stored request has only valid values under these names. */
function keysOf(identifiers: Record<string, string>): string[] {
  const folded = new Map(Object.entries(identifiers).map(([name, value]) => [foldCase(name), value.toUpperCase()]))
  return SCHEMES.flatMap((scheme) => {
    const value = folded.get(scheme)
    if (value === undefined) return []
    if (scheme === "cik") return [`cik:${value.padStart(10, "0")}`]
    return [`${scheme}:${scheme === "ein" ? value.replace("-", "") : value}`]
  })
}

function schemeOf(key: string): string {
  return key.slice(0, key.indexOf(":"))
}

function foldCase(text: string): string {
  return text.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase().normalize("NFKC").replaceAll("ς", "σ")
}

function nameKeyOf(legalName: string): string {
  return foldCase(legalName)
    .replace(/\p{Default_Ignorable_Code_Point}|[^\p{L}\p{M}\p{N}]/gu, "")
    .normalize("NFKC")
}
