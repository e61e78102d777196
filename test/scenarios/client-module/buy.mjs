// A buyer's program: from new keys to a verified and recovered Payment Decision. It runs under Node, Bun, Deno and in a browser.
import { ClientError, createClient, createKeys, signRequest, verifyDocument } from "./client.mjs"

/** Calls again while the client says so, as a program does after a lost answer. */
async function again(call) {
  for (let tries = 1; ; tries++) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== "TRY_AGAIN" || tries === 4) throw error
    }
  }
}

/** `given` is JSON; `wallet` signs typed data; `proxy` is where calls go in place of the server, or null. */
export async function buy({ server, organizationKey, organization, draft, proxy }, wallet) {
  const kept = new Map()
  const store = {
    get: (name) => kept.get(name) ?? null,
    add: (name, text) => {
      if (kept.has(name)) throw new Error("exists")
      kept.set(name, text)
    },
  }
  const through = (request) => fetch(new Request(request.url.replace(server, proxy), request))
  const client = createClient({ server, store, ...(proxy ? { fetch: through } : {}) })
  let saved = createKeys()
  const keys = await again(() =>
    client.enrol(saved, (next) => {
      saved = next
    }),
  )
  const delegation = await again(() => client.delegate({ keys, organizationKey, ...organization, maxPayment: "50000" }))
  const request = signRequest({ draft, keys, organizationKey })
  const quote = await again(() => client.quote("decision-gate.release-payment-to-supplier.v1", request))
  const unlimited = await client.pay({ quote, request, wallet }).catch((error) => error.code)
  const above = await client.pay({ quote, request, wallet, limitAtomic: 1n }).catch((error) => error.code)
  const signedBefore = kept.size
  const answer = await again(() => client.pay({ quote, request, wallet, limitAtomic: 790_000n }))
  const repeated = await again(() => client.repeat(quote.product, request))
  const recovered = await again(() => client.recover(keys, request))
  const issuer = await again(() => client.issuerKeys())
  const terms = { issuer, request, require: "RELEASE_PAYMENT", environment: "test" }
  const { verdict, machineAction } = await verifyDocument(recovered.bytes, terms)
  const text = ({ bytes }) => new TextDecoder().decode(bytes)
  const end = { organizationKey, organizationId: organization.organizationId, reason: "no longer needed" }
  const { delegation_id: delegationId } = delegation.payload
  const ended = [
    await again(() => client.revokeMandate({ ...end, request })),
    await again(() => client.revokeDelegation({ ...end, delegationId })),
  ]
  const save = (next) => {
    saved = next
  }
  saved = keys
  const rotated = await again(() => client.rotate(saved, save))
  const recoveredLater = await again(() => client.recover(rotated, request))
  const revoked = await again(() => client.revoke(saved, save, { what: "IDENTITY", reason: "SUPERSEDED" }))
  return {
    limits: [unlimited, above, signedBefore],
    decision: answer.decision,
    isSame: text(answer) === text(recovered) && text(answer) === text(repeated),
    verdict,
    machineAction,
    payments: kept.size,
    ended: ended.map(({ payload }) => `${payload.kind} ${payload.state}`),
    rotated: rotated.operational.x === keys.next.x && text(recoveredLater) === text(answer),
    revoked: revoked.revoked,
    transaction: answer.transaction,
  }
}
