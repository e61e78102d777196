/** The stored deliveries are complete and unchanged: every product, every decision and each shape that later builds must read. */
import { describe, expect, test } from "bun:test"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { PRODUCT_IDS } from "../../schemas/products.ts"
import type { GateOutcome } from "../../schemas/us/decision-response.ts"
import { digestBytes } from "../../src/core/digest.ts"
import { PUBLISHED_POLICIES } from "../../src/products/published-policies.ts"
import { fileOf, ISSUER, LIST, readList } from "./build-list.ts"
import { BUILDS, folderOf, isDecision, type StoredBundle, storedIn } from "./stored-bundle.ts"

/** The digest of each build's list, which holds the digest of every document. Builds are added and never changed. */
const LISTS: Readonly<Record<string, string>> = {
  "first-build": "sha256:9b3002486a714c262b3946291ca84efffd3d5137eb71d6d9cc20581b9f6ce0b6",
  "second-build": "sha256:eea0b847eb0958df65e028bff042d101a0e2fee2eefb18543c9bfd80ebeadfc6",
}

/** Policy versions with every decision stored. Add a later version together with the build that stores its decisions. */
const COVERED: readonly string[] = ["1.0.0", "1.1.0"]

/** Products that are newer than the newest build. Take one out together with the build that stores its decisions. */
const NOT_STORED: ReadonlySet<string> = new Set<string>([])

const all = BUILDS.flatMap((build) => storedIn(build).stored)

test("the list of every build is the one committed with it", () => {
  const found = BUILDS.map((build) => [build, digestBytes(readFileSync(join(folderOf(build), LIST)))])
  expect<Record<string, string>>(Object.fromEntries(found)).toEqual(LISTS)
})

test.each(BUILDS)("%s holds the files of its list and no other, each with its digest", (build) => {
  const folder = folderOf(build)
  const { cases, issuer_jwks: issuer } = readList(folder)
  const listed = cases.flatMap((one) => one.files.map((kind) => [fileOf(one, kind), one.digests[kind]] as const))
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

  test.each<[string, (one: StoredBundle) => boolean]>([
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
