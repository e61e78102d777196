/** Invariant 5: a delivered purchase is counted once, and an undelivered one not at all. Checked when nothing is in progress. */
import { readLeafData } from "../../../src/core/leaf-data.ts"
import { AMOUNT, DECISIONS_MAX } from "../organizations.ts"
import type { Simulation } from "../simulation.ts"

const AMOUNT_MILLIONTHS = BigInt(AMOUNT.replace(".", "")) * 10_000n

export function requireCounts(simulation: Simulation): void {
  const { books } = simulation
  const holdsOf = new Map<string, string[]>()
  for (const { requestId, kind, spent } of books.holds.values()) {
    const held = holdsOf.get(requestId) ?? []
    holdsOf.set(requestId, held)
    held.push(`${kind}${spent === 1 ? " spent" : ""}`)
  }
  const perDelegation = new Map<string, number>()
  for (const request of books.requests.values()) {
    const held = (holdsOf.get(request.id) ?? []).sort()
    const isDecision = request.product.includes("decision")
    const isOwed = [...(books.attemptsOfRequest.get(request.id) ?? [])].some(
      (id) => books.attempts.get(id)?.state === "PAID_OWED",
    )
    if (request.state === "DELIVERED") {
      // A challenge that another answer used before is not held twice.
      const isReused = books.deliveries.get(request.id)?.body?.includes("CHALLENGE_REUSED") === true
      const expected = isDecision ? "MANDATE_ID spent,MANDATE_NONCE spent" : isReused ? "" : "CHALLENGE spent"
      if (held.join() !== expected) {
        simulation.violate("counted_wrongly", `${request.id} is delivered and holds: ${held.join(", ") || "nothing"}`, [
          request.id,
        ])
      }
      if (request.delegationId)
        perDelegation.set(request.delegationId, (perDelegation.get(request.delegationId) ?? 0) + 1)
    } else if (held.length > 0 && !isOwed) {
      simulation.violate("counted_wrongly", `${request.id} is not delivered and holds: ${held.join(", ")}`, [
        request.id,
      ])
    }
  }
  requireOneChallengeEach(simulation)
  for (const [delegationId, count] of perDelegation) {
    if (count <= DECISIONS_MAX) continue
    simulation.violate(
      "counted_wrongly",
      `${delegationId} allows ${DECISIONS_MAX} decisions of ${AMOUNT} and ${count} were delivered`,
      [],
    )
  }
  requireKeptSums(simulation, perDelegation)
  requireLeaves(simulation)
  simulation.requireSound()
}

/** The stored sums equal the sums of the rows. */
function requireKeptSums(simulation: Simulation, delivered: ReadonlyMap<string, number>): void {
  const { totals, days, unsettled } = simulation.keptSums()
  for (const delegationId of delivered.keys()) {
    if (totals.some((total) => total.delegationId === delegationId)) continue
    simulation.violate("counted_wrongly", `${delegationId} has no total, and decisions were delivered`, [])
  }
  for (const { delegationId, millionths } of totals) {
    const expected = BigInt(delivered.get(delegationId) ?? 0) * AMOUNT_MILLIONTHS
    if (BigInt(millionths) === expected) continue
    simulation.violate(
      "counted_wrongly",
      `${delegationId} counts ${millionths} millionths, and ${expected} were delivered`,
      [],
    )
  }
  for (const { delegationId, requests } of days) {
    const expected = delivered.get(delegationId) ?? 0
    if (requests === expected) continue
    simulation.violate(
      "counted_wrongly",
      `${delegationId} counts ${requests} requests, and ${expected} were delivered`,
      [],
    )
  }
  for (const { payer, value } of unsettled) {
    simulation.violate("counted_wrongly", `${payer} has ${value} unsettled, and nothing is under way`, [])
  }
}

/** Each delivered capsule has one leaf in the log, and the log has no other leaf. */
function requireLeaves(simulation: Simulation): void {
  const { database } = simulation
  const leaves = database
    .rows<{ readonly data: Uint8Array }>("SELECT data FROM log_leaf ORDER BY log_index")
    .map(({ data }) => `sha256:${Buffer.from(readLeafData(data)?.digest ?? []).toString("hex")}`)
  const sold = database.rows<Sold>(
    `SELECT decision_request.id, state, capsule_digest AS digest, CAST(log_index AS TEXT) AS "logIndex"
     FROM decision_request JOIN delivery ON delivery.request_id = decision_request.id`,
  )
  const report = (text: string, id: string) => simulation.violate("counted_wrongly", text, [id])
  for (const { id, state, digest, logIndex } of sold) {
    if (state !== "DELIVERED" && logIndex !== null) report(`${id} is ${state} and has the leaf ${logIndex}`, id)
    if (state !== "DELIVERED") continue
    const leaf = logIndex === null ? null : leaves[Number(logIndex)]
    if (leaf !== digest) report(`${id} is delivered, and the leaf ${logIndex} is not its own`, id)
  }
  const delivered = sold.filter(({ state }) => state === "DELIVERED").length
  if (leaves.length === delivered) return
  simulation.violate(
    "counted_wrongly",
    `${delivered} capsules are delivered, and the log has ${leaves.length} leaves`,
    [],
  )
}

interface Sold {
  readonly id: string
  readonly state: string
  readonly digest: string
  readonly logIndex: string | null
}

/** Of the answers that name one challenge, all but one say that it was used before. */
function requireOneChallengeEach(simulation: Simulation): void {
  const accepted = new Map<string, string>()
  for (const { requestId, purchaseId, body } of simulation.books.deliveries.values()) {
    const request = simulation.books.requests.get(requestId)
    if (body === null || request === undefined || request.product.includes("decision")) continue
    if (body.includes("CHALLENGE_REUSED")) continue
    const challenge = simulation.network.challengeOf(request.idempotencyKey)
    if (challenge === null) continue
    const name = `${request.scope}|${challenge}`
    const other = accepted.get(name)
    accepted.set(name, requestId)
    if (other) simulation.violate("counted_wrongly", `${other} and ${requestId} both used ${challenge}`, [purchaseId])
  }
}
