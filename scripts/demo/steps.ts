/** The steps of the story: actions of a buyer and an operator in order, each with its required outcome. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { DecisionResponse } from "../../schemas/us/decision-response.ts"
import { PAYMENT_DECISION_PATH } from "../../schemas/us/payment-decision.ts"
import { digestOf } from "../../src/core/digest.ts"
import { type Chain, DEV_ACCOUNTS, DEV_KEYS } from "../../test/fixtures/chain.ts"
import { Buyer, must, type Run } from "./buyer.ts"
import { KEPT_CHECK_FILES, supplierIsChecked } from "./company-check.ts"
import { type BuyerParty, draftFor, listedSupplier, OTHER_WALLET } from "./drafts.ts"
import { identityOutlivesItsKey } from "./identity.ts"
import { offlineProgram } from "./isolated.ts"
import { type JobSide, jobFlags, jobIsServed } from "./job.ts"
import { type DemoLists, prepareLists } from "./lists.ts"
import { FEE_ATOMIC } from "./money.ts"
import { expectSame, type Story } from "./story.ts"
import { threeWords } from "./three-words.ts"
import { ukPaymentIsAuthorized } from "./uk-payment.ts"
import { untilOpened } from "./until-opened.ts"

interface DemoParts {
  readonly story: Story
  readonly chain: Chain
  readonly run: Run
  /** Starts the service on the data directory and returns its origin. */
  readonly serve: (data: string, flags: readonly string[]) => Promise<string>
  /** Absolute path of the compiled program. */
  readonly binary: string
  readonly folder: string
  readonly operatorLists: string | null
  readonly jobSide: JobSide
}

const BUYER: BuyerParty = {
  organizationId: "org:demo:buyer",
  organizationDigest: digestOf({ name: "Demo Buyer Inc." }),
  payer: DEV_ACCOUNTS.payer.address,
}
export const KEPT_FILES: readonly string[] = [
  ...["delivery.json", "bundle.json", "request.json", "issuer.jwks.json"],
  ...KEPT_CHECK_FILES,
]

/** Returns the buyer, with the server that it bought from. */
export async function tellStory(parts: DemoParts): Promise<Buyer> {
  const { lists, server } = await operatorOpens(parts)
  const buyer = new Buyer(parts.run, parts.folder, server)
  await buyerEnrols(parts, buyer)
  await firstDecision(parts, buyer)
  await provenElsewhere(parts, buyer)
  await otherOutcomes(parts, buyer, lists)
  await refusals(parts, buyer)
  const data = join(parts.folder, "data")
  await jobIsServed({ ...parts, data }, buyer, BUYER)
  await identityOutlivesItsKey({ ...parts, data }, buyer)
  await supplierIsChecked({ ...parts, data }, buyer)
  await ukPaymentIsAuthorized({ ...parts, data }, buyer)
  return buyer
}

async function operatorOpens({ story, chain, run, serve, folder, operatorLists, jobSide }: DemoParts) {
  const data = join(folder, "data")
  let lists: DemoLists | undefined
  await story.tell("lists", 0n, async () => {
    await must(run, ["init", "--data", data, "--environment", "test"])
    lists = prepareLists(folder, operatorLists, Date.now())
    const facts: Record<string, string> = {}
    for (const { sourceId, folder: files, origin } of lists.lists) {
      const { json } = await must(run, ["sources", "import", sourceId, files, "--data", data, "--json"])
      const { counts, raw_sha256: raw } = json as unknown as { counts: { entries: number }; raw_sha256: string }
      facts[sourceId] = `${origin === "SAMPLE" ? "sample" : "the operator's"}, ${counts.entries} entries, ${raw}`
    }
    return { outcome: "four lists in the publishers' formats imported", facts }
  })
  if (!lists) throw new Error("no lists")
  const relayer = join(folder, "relayer.key")
  writeFileSync(relayer, DEV_KEYS[1], { mode: 0o600 })
  const opened = await story.tell("service", 0n, async () => {
    const payments = ["--payments", "test", "--rpc-url", chain.url, "--pay-to", DEV_ACCOUNTS.payTo.address]
    // The test chain suggests the largest priority fee that the service accepts. At this price even the cheapest product can be settled.
    const selling = [...payments, "--relayer-key-file", relayer, "--eth-usd", "1000"]
    const modes = ["--agent-mode-planning", "on", "--intent-beacon", "on", ...jobFlags(folder, jobSide)]
    const server = await serve(data, [...selling, ...modes])
    await untilOpened(server)
    const keys = await must(run, ["keys", "export", "--data", data])
    writeFileSync(join(folder, "issuer.jwks.json"), keys.text)
    return { outcome: `serving at ${server}`, server }
  })
  return { lists, server: opened.server }
}

async function buyerEnrols({ story, run, folder }: DemoParts, buyer: Buyer): Promise<void> {
  await story.tell("agent", 0n, async () => {
    const keys = buyer.path("agent.json")
    await must(run, ["agent", "keygen", "--out", keys])
    const { json } = await must(run, ["agent", "enroll", "--keys", keys, "--server", buyer.server, "--json"])
    return {
      outcome: "two keys enrolled; they prove key control and nothing else",
      facts: { agent: json["agent_id"] ?? "" },
    }
  })
  await story.tell("buyer", 0n, async () => {
    const key = buyer.path("mandate.key")
    const who = ["--organization", BUYER.organizationId]
    const day = 86_400_000
    await must(run, ["buyers", "keygen", "--out", key])
    await must(run, [
      ...["buyers", "add", "--data", join(folder, "data"), ...who, "--legal-name", "Demo Buyer Inc."],
      ...["--digest", BUYER.organizationDigest, "--mandate-key", `${key}.pub`, "--tolerance", "HIGH"],
      ...["--verification-method", "DEMONSTRATION", "--verification-reference", "demo", "--verified-by", "demo"],
      ...["--verified-at", new Date(Date.now() - day).toISOString()],
      ...["--valid-until", new Date(Date.now() + 30 * day).toISOString()],
    ])
    const { json } = await must(run, [
      ...["agent", "delegate", "--organization-key", key, "--keys", buyer.path("agent.json"), ...who, "--json"],
      ...["--organization-digest", BUYER.organizationDigest, "--server", buyer.server, "--max-payment", "50000"],
    ])
    return {
      outcome: "organization entered; the agent may ask for it",
      facts: { delegation: json["delegation_id"] ?? "" },
    }
  })
}

const document = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"))

async function firstDecision({ story, run }: DemoParts, buyer: Buyer): Promise<void> {
  const request = await buyer.sign("first", draftFor(BUYER, { obligation: "INV-1" }))
  writeFileSync(buyer.path("request.json"), readFileSync(request))
  await story.tell("eligibility", 0n, async () => {
    const answer = await buyer.post(`${PAYMENT_DECISION_PATH}/eligibility`, document(request))
    const body = (await answer.json()) as { eligible: boolean; quote_created: boolean; checks: { state: string }[] }
    expectSame("the status", answer.status, 200)
    expectSame("eligible", body.eligible, true)
    expectSame("quote_created", body.quote_created, false)
    return { outcome: `eligible, ${body.checks.filter(({ state }) => state === "PASSED").length} checks passed` }
  })
  await story.tell("plan", 0n, async () => {
    const what = ["--intent", "RELEASE_PAYMENT_TO_SUPPLIER", "--request", request]
    const trusted = ["--issuer", buyer.path("issuer.jwks.json")]
    const { text } = await must(run, ["agent", "plan", "--server", buyer.server, ...what, ...trusted, "--json"])
    const { payload } = JSON.parse(text) as {
      payload: { outcome: string; plan_id: string; maximum_price: { amount_atomic: string } }
    }
    expectSame("the outcome", payload.outcome, "SUPPORTED")
    expectSame("the maximum price", payload.maximum_price.amount_atomic, String(FEE_ATOMIC))
    return {
      outcome: "nothing is missing, and what it costs at most; only digests were sent",
      facts: { plan: payload.plan_id },
    }
  })
  const quote = buyer.path("first.quote.json")
  await story.tell("quote", 0n, async () => {
    const flags = ["--server", buyer.server, "--request", request, "--out", quote, "--json"]
    const { json } = await must(run, ["agent", "quote", ...flags])
    expectSame("the price", json["amount_atomic"], String(FEE_ATOMIC))
    return { outcome: "402 with a quote bound to this request", facts: { until: json["expires_at"] ?? "" } }
  })
  await story.tell("ALLOW", FEE_ATOMIC, async () => {
    const wallet = buyer.path("wallet.key")
    writeFileSync(wallet, DEV_KEYS[3], { mode: 0o600 })
    const { json } = await must(run, [
      ...["agent", "pay", "--quote", quote, "--request", request, "--wallet-key", wallet, "--json", "--yes"],
      ...["--max-atomic", String(FEE_ATOMIC), "--pay-to", DEV_ACCOUNTS.payTo.address],
      ...["--out", buyer.path("delivery.json")],
    ])
    expectSame("the decision", json["decision"], "ALLOW")
    expectSame("the action", json["machine_action"], "RELEASE_PAYMENT")
    const { transaction = "", response_digest: digest = "", decision_id: id = "" } = json
    return { outcome: "paid and delivered, RELEASE_PAYMENT", facts: { decision: id, response: digest, transaction } }
  })
}

async function provenElsewhere({ story, run, binary, folder }: DemoParts, buyer: Buyer): Promise<void> {
  const delivery = document(buyer.path("delivery.json")) as DecisionResponse
  const issuer = ["--issuer", buyer.path("issuer.jwks.json")]
  const offline = offlineProgram(binary, join(folder, "elsewhere"))
  await story.tell("verify", 0n, async () => {
    const match = ["--request", buyer.path("request.json"), "--require", "RELEASE_PAYMENT", "--environment", "test"]
    const { words } = threeWords(offline, [buyer.path("delivery.json"), ...issuer, ...match], "RELEASE_PAYMENT")
    return {
      outcome: `${words}, ${offline.said}`,
      facts: { capsule: delivery.proof_capsule.capsule_digest },
    }
  })
  await story.tell("replay", 0n, async () => {
    const bundle = buyer.path("bundle.json")
    await must(run, ["export", delivery.decision_id, "--data", join(folder, "data"), "--out", bundle])
    offline.run(["replay", bundle, ...issuer])
    return {
      outcome: "decided again from the exported facts, byte for byte the same",
      facts: { bundle: digestOf(document(bundle)) },
    }
  })
  await story.tell("recover", 0n, async () => {
    const out = buyer.path("recovered.json")
    const files = ["--keys", buyer.path("agent.json"), "--request", buyer.path("request.json")]
    await must(run, ["agent", "recover", ...files, "--server", buyer.server, "--out", out])
    const same = Buffer.compare(readFileSync(out), readFileSync(buyer.path("delivery.json"))) === 0
    expectSame("the recovered file equal to the delivery", same, true)
    return { outcome: "the same bytes again, without payment" }
  })
}

async function otherOutcomes({ story, binary, folder }: DemoParts, buyer: Buyer, lists: DemoLists): Promise<void> {
  await story.tell("BLOCK", FEE_ATOMIC, async () => {
    const supplier = listedSupplier(lists.listedName)
    const draft = draftFor(BUYER, { obligation: "INV-2", supplier, wallet: `0x${"C3".repeat(20)}` })
    const { delivery, transaction } = await buyer.buyWithOfficialClient(document(await buyer.sign("listed", draft)))
    expectSame("the decision", delivery.decision, "BLOCK")
    expectSame("the action", delivery.machine_action, "BLOCK_PAYMENT")
    return told(`supplier "${lists.listedName}" is listed, BLOCK_PAYMENT`, delivery, transaction)
  })
  await story.tell("HOLD", FEE_ATOMIC, async () => {
    const draft = draftFor(BUYER, { obligation: "INV-3", wallet: OTHER_WALLET })
    const bought = await buyer.buyWithOfficialClient(document(await buyer.sign("moved", draft)))
    const { delivery, transaction } = bought
    expectSame("the decision", delivery.decision, "HOLD")
    const file = buyer.path("held.json")
    writeFileSync(file, bought.bytes)
    const offline = offlineProgram(binary, join(folder, "elsewhere"))
    const { words, why } = threeWords(offline, [file, "--issuer", buyer.path("issuer.jwks.json")], "HOLD_PAYMENT")
    return told(`${words}: ${why}`, delivery, transaction)
  })
}

function told(outcome: string, delivery: DecisionResponse, transaction: string) {
  const facts = { reasons: delivery.reason_codes.join(" "), response: delivery.delivery.response_digest, transaction }
  return { outcome, facts }
}

async function refusals({ story }: DemoParts, buyer: Buyer): Promise<void> {
  await story.tell("stale source", 0n, async () => {
    // The lists are valid but older than this one request allows. The refusal is the same as for a list beyond its own window.
    const draft = draftFor(BUYER, { obligation: "INV-4", maxAgeSeconds: 60 })
    return refusedWith(
      503,
      "SOURCE_STALE",
      await buyer.post(PAYMENT_DECISION_PATH, document(await buyer.sign("stale", draft))),
    )
  })
  await story.tell("reused key", 0n, async () => {
    const draft = { ...draftFor(BUYER, { obligation: "INV-5" }), idempotency_key: "demo-INV-1" }
    const request = document(await buyer.sign("reused", draft))
    return refusedWith(409, "IDEMPOTENCY_KEY_REUSED", await buyer.post(PAYMENT_DECISION_PATH, request))
  })
}

async function refusedWith(status: number, code: string, answer: Response) {
  const body = (await answer.json()) as { code: string }
  expectSame("the status", answer.status, status)
  expectSame("the code", body.code, code)
  expectSame("a quote", answer.headers.has("payment-required"), false)
  return { outcome: `${status} ${code}, no quote` }
}
