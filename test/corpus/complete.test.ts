/** The stored deliveries are complete and unchanged: every product, every decision and each shape that later builds must read. */
import { describe, expect, test } from "bun:test"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { AnswerFacts } from "../../schemas/answer-facts.ts"
import { ANSWER_BUNDLE_FORMATS, DELIVERY_BUNDLE_FORMATS } from "../../schemas/bundle-formats.ts"
import { PRODUCT_IDS } from "../../schemas/products.ts"
import type { ScreeningHit } from "../../schemas/screening-facts.ts"
import type { GateOutcome } from "../../schemas/us/decision-response.ts"
import { digestBytes } from "../../src/core/digest.ts"
import { type ScreenedMembers, storedEntries } from "../../src/products/common/stored-entries.ts"
import { PUBLISHED_POLICIES } from "../../src/products/published-policies.ts"
import { SNAPSHOTS_FOLDER } from "../../src/sources/import/snapshot-files.ts"
import { fileOf, ISSUER, LIST, readList } from "./build-list.ts"
import { STORED_BUILDS } from "./builds.ts"
import { BUILDS, folderOf, isDecision, type StoredBundle, storedIn } from "./stored-bundle.ts"

/** Policy versions with every decision stored. */
const COVERED: readonly string[] = STORED_BUILDS.map(({ policies }) => policies)

/** Products that are newer than the newest build. Take one out together with the build that stores its decisions. */
const NOT_STORED: ReadonlySet<string> = new Set<string>([])

/** Formats of bundles that are newer than the newest build. Take one out together with the build that stores it. */
const FORMATS_NOT_STORED: ReadonlySet<string> = new Set<string>([])

type Shape = [what: string, has: (one: StoredBundle) => boolean]

const all = BUILDS.flatMap((build) => storedIn(build).stored)

test("every folder of a build is named, and its list is the one committed with it", () => {
  const folders = readdirSync(import.meta.dir).filter((name) => name.endsWith("-build"))
  expect(folders.sort()).toEqual(BUILDS.toSorted())
  const found = BUILDS.map((build) => [build, digestBytes(readFileSync(join(folderOf(build), LIST)))])
  expect(found).toEqual(STORED_BUILDS.map(({ name, list }) => [name, list]))
})

test.each(BUILDS)("%s holds the files of its list and no other, each with its digest", (build) => {
  const folder = folderOf(build)
  const { cases, issuer_jwks: issuer, snapshots = {} } = readList(folder)
  const documents = cases.flatMap((one) => one.files.map((kind) => [fileOf(one, kind), one.digests[kind]] as const))
  const files = Object.entries(snapshots).map(([path, digest]) => [join(SNAPSHOTS_FOLDER, path), digest] as const)
  const listed = [...documents, ...files]
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  )
  expect(found.sort()).toEqual([ISSUER, LIST, ...listed.map(([name]) => name)].sort())
  for (const [name, digest] of [...listed, [ISSUER, issuer] as const]) {
    expect([name, digestBytes(readFileSync(join(folder, name))) as string]).toEqual([name, digest ?? "no digest"])
  }
})

describe("every product has a stored delivery for each decision that its policy can reach", () => {
  const stored = PUBLISHED_POLICIES.filter(({ product }) => !NOT_STORED.has(product))
  /** `PRODUCT VERSION DECISION` for each row of the covered policies. */
  const reachable = stored
    .filter(({ document }) => COVERED.includes(document.version))
    .flatMap(({ product, document, outcomes }) => {
      const ends = new Set<GateOutcome>(document.reasons.map(({ outcome }) => outcome))
      return [...new Set([...ends].map((outcome) => `${product} ${document.version} ${outcomes[outcome].decision}`))]
    })
  const decisionOf = ({ product, decision, bundle }: StoredBundle) => {
    const { policy } = isDecision(bundle) ? bundle.delivery : bundle.answer
    return `${product} ${policy.version} ${decision}`
  }
  const missingFrom = (cases: readonly StoredBundle[]) => {
    const stored = new Set(cases.map(decisionOf))
    return reachable.filter((one) => !stored.has(one))
  }

  test("no decision is missing, and every product is checked", () => {
    expect(missingFrom(all)).toEqual([])
    const products = new Set(stored.map(({ product }) => product))
    expect([...products].filter((product) => !reachable.some((one) => one.startsWith(`${product} `)))).toEqual([])
    expect([...products, ...NOT_STORED].sort()).toEqual(PRODUCT_IDS.toSorted())
  })

  test("a decision is reported as missing when its only deliveries are removed", () => {
    for (const one of reachable) {
      expect(missingFrom(all.filter((stored) => decisionOf(stored) !== one))).toEqual([one])
    }
  })

  test("the decision in the list is the decision that was delivered", () => {
    for (const { product, case: name, decision, bundle } of all) {
      const given = isDecision(bundle) ? bundle.delivery.decision : bundle.answer.decision
      expect([product, name, given]).toEqual([product, name, decision])
    }
  })
})

describe("at least one stored delivery has", () => {
  const text = new Map(all.map((one) => [one, new TextDecoder().decode(one.bytes)]))
  const says = (words: string) => (one: StoredBundle) => text.get(one)?.includes(words) === true
  const hasPrior = says('"prior_authorization":{')

  test.each<Shape>([
    ["a passport", ({ passport }) => passport !== null],
    ["a token in the paid copy", ({ answer }) => new TextDecoder().decode(answer).includes('"svc_at_')],
    ["NO_TOKEN_ISSUED", says('"NO_TOKEN_ISSUED"')],
    ["an AGING list", says('"freshness":"AGING"')],
    ["a hit by a name similar to a listed one", says('"basis":"FUZZY_NAME"')],
    ["a hit by an exact name", says('"basis":"EXACT_NAME"')],
    ["a hit by an identifier", says('"basis":"IDENTIFIER"')],
    ["a hit by a weak alias", says('"basis":"WEAK_ALIAS"')],
    ["a hit with a conflicting identifier", says('"identifier":"CONFLICT"')],
    ["a near miss", says('"tier":"NEAR_MISS"')],
    ["a hit that an operator suppressed", says('"suppression_id":"sup_')],
    ["a listed wallet", says('"WALLET_RESTRICTED"')],
    ["a register that does not have the identifier", says('"REGISTRATION_NOT_FOUND"')],
    ["a UK number that the live register does not have", (one) => says('"via":"LIVE"')(one) && notFound(one)],
    ["a UK number that the monthly file does not have", (one) => !says('"via":"LIVE"')(one) && notFound(one)],
    ["an unavailable live register", says('"LIVE_REGISTER_UNAVAILABLE"')],
    ["a continuation with a newer version of a list", (one) => hasPrior(one) && says('"what":"LIST_VERSION"')(one)],
    [
      "a continuation of a vendor that was listed in the meantime",
      (one) => hasPrior(one) && says('"what":"LISTED_ENTRY"')(one),
    ],
    ["a destination that a vendor change authorized", says('"kind":"CHANGE_AUTHORIZATION"')],
  ])("%s", (_, has) => {
    expect(all.filter(has).map(({ product, case: name }) => `${product} ${name}`)).not.toEqual([])
  })

  function notFound(one: StoredBundle): boolean {
    return says('"outcome":"NOT_FOUND"')(one) && says('"COMPANY_NOT_REGISTERED"')(one)
  }
})

describe("the listed entries of hits", () => {
  const factsOf = ({ bundle }: StoredBundle): Pick<AnswerFacts, "sources"> & ScreenedMembers => bundle.facts
  const entriesOf = (one: StoredBundle) => storedEntries(factsOf(one))
  const isNewest = ({ bundle }: StoredBundle) => bundle.format.endsWith(".v3")

  test("every format of a bundle is stored, and the format of entries for every product", () => {
    const formats = new Set<string>(all.map(({ bundle }) => bundle.format))
    const known = [...Object.values(ANSWER_BUNDLE_FORMATS), ...Object.values(DELIVERY_BUNDLE_FORMATS)]
    expect([...formats, ...FORMATS_NOT_STORED].sort()).toEqual(known.toSorted())
    const products = new Set(all.filter(isNewest).map(({ product }) => product))
    expect([...products, ...NOT_STORED].sort()).toEqual(PRODUCT_IDS.toSorted())
  })

  test("a bundle has their format only if it has one of them", () => {
    const named = all.map((one) => [one.product, one.case, isNewest(one)])
    expect(named).toEqual(all.map((one) => [one.product, one.case, entriesOf(one).length > 0]))
  })

  const sources = new Set(all.flatMap((one) => factsOf(one).sources.map(({ source_id }) => source_id)))
  const some = (is: (hit: ScreeningHit) => boolean) => (one: StoredBundle) => entriesOf(one).some(is)

  test.each<Shape>([
    ["a hit by an identifier", some(({ basis }) => basis === "IDENTIFIER")],
    ["a hit by an exact name", some(({ basis }) => basis === "EXACT_NAME")],
    ["a hit by a similar name", some(({ basis }) => basis === "FUZZY_NAME")],
    ["a hit by a weak alias", some(({ basis }) => basis === "WEAK_ALIAS")],
    [
      "a hit that an operator suppressed",
      (one) => !!factsOf(one).screening?.suppressed_hits?.some(({ entry }) => entry),
    ],
    ["a listed wallet", (one) => factsOf(one).wallet_hits?.payee?.entry !== undefined],
    ["an entry of which a part is kept", some(({ entry }) => (entry?.truncated?.addresses ?? 0) > 0)],
    ["more entries than an answer keeps", (one) => (factsOf(one).screening?.entries_left_out ?? 0) > 0],
    [
      "an entry that a US list no longer has",
      some(({ entry, source_id }) => !!entry?.removed_at && /^US_/.test(source_id)),
    ],
    [
      "an entry that the UK list no longer has",
      some(({ entry, source_id }) => !!entry?.removed_at && /^UK_/.test(source_id)),
    ],
    ...[...sources].map((id): Shape => [`an entry of ${id}`, some((hit) => hit.source_id === id)]),
  ])("%s is stored", (_, has) => {
    expect(all.filter(has).map(({ product, case: name }) => `${product} ${name}`)).not.toEqual([])
  })
})
