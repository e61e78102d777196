import { grownId, grownInstant } from "../fixtures/grown-row.ts"
import type { Values } from "./job-query-values.ts"

/** Whether the query is about reviewers or cases. */
export function isAboutReviews(name: string): boolean {
  return name.startsWith("review-") || name.startsWith("take-record.ts ")
}

/** `name` of the query, for row `n`. */
export function ofReviews(name: string, n: number): Values {
  return {
    answers: "record",
    state: name.startsWith("review-register.ts") ? "ACTIVE" : "OPEN",
    value: /byScore$/i.test(name) ? 1001 : "2",
    limit: 50,
    product: "us.company.check.v1",
    ids: JSON.stringify([grownId("drq", n)]),
    name: `name-${n}`,
    keyId: grownId("key", n),
    at: grownInstant(n),
    createdAt: grownInstant(n),
    expiresAt: grownInstant(n),
    before: grownInstant(0),
    subject: "{}",
    amountOrder: String(n).padStart(24, "0"),
    assertion: "{}",
    assignee: "rev",
    algorithm: -8,
    breakGlass: "why",
    addedAt: grownInstant(n),
    caseNumber: n,
    cases: "[]",
    challenge: `challenge-${n}`,
    counter: 1,
    counts: "[]",
    credentialId: `credential-${n}`,
    digest: `record-${n}`,
    document: "{}",
    effect: "RECORDED",
    enrolledAt: grownInstant(n),
    entryDigest: `entry-${n}`,
    previousEntry: null,
    numbers: JSON.stringify([n]),
    filledTo: n,
    from: n,
    groupKey: `group-${Math.floor(n / 10)}`,
    idleAt: grownInstant(n),
    judged: "{}",
    linkHash: `link-${n}`,
    logIndex: n,
    number: n,
    ofPersons: 2,
    persons: 2,
    publicKey: "key",
    purpose: "{}",
    reason: "{}",
    recordDigest: `record-${n}`,
    recusals: "[]",
    reviewerId: `rev-${n}`,
    sequence: n,
    since: grownInstant(0),
    sessionHash: `session-${n}`,
    to: n,
    suppressionId: grownId("sup", n),
  }
}
