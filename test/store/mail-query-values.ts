/** The values for queries about mail over grown tables: message `n`, and the one mailbox and day. */
import { GROWN_MAILBOX } from "../fixtures/grown-mail.ts"
import { grownId, grownInstant } from "../fixtures/grown-row.ts"
import type { Values } from "./job-query-values.ts"

const MAIL = ["mail-in", "mail-out", "email-challenges"]

export function isAboutMail(name: string): boolean {
  return MAIL.some((file) => name.startsWith(`${file}.ts `))
}

/** `name` of the query, for row `n`. */
export function ofMail(name: string, n: number): Values {
  const [file, constant] = name.split(" ")
  return {
    attempts: 1,
    before: grownInstant(0),
    covered: "2023-01-01T00:00:00.000Z",
    createdAt: grownInstant(n),
    expiresAt: grownInstant(n),
    giveUpAt: grownInstant(n),
    horizon: "2099-06-01T00:00:00.000Z",
    id: grownId("eml", n),
    issuedAt: grownInstant(n),
    kind: "CHALLENGE",
    lookAt: null,
    mailbox: GROWN_MAILBOX,
    now: constant === "due" ? "2098-01-01T00:00:00.000Z" : "2023-01-01T00:00:00.000Z",
    nullSender: 0,
    owner: "somebody",
    raw: null,
    reason: null,
    receivedAt: grownInstant(n),
    requestDigest: `request-${n}`,
    issuedFrom: "",
    state: constant === "end" && file === "mail-in.ts" ? "DONE" : "SENT",
    tokenHash: n.toString(16).padStart(64, "0"),
    until: grownInstant(n),
  }
}
