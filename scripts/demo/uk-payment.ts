/** A payment to a UK company and a change of its destination. Each authorization is redeemed once, or revoked. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { redeemGbToken, revokeGbToken } from "../../schemas/authorization-token.ts"
import type { BusinessAnswer } from "../../schemas/business-answer.ts"
import { authorizeGbPayment, type GbPaymentResult } from "../../schemas/gb/payment.ts"
import { authorizeGbVendorChange, type GbVendorChangeResult } from "../../schemas/gb/vendor-change.ts"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { HOUR } from "../../src/core/time.ts"
import { REQUIRED_GB_SOURCES } from "../../src/sources/records/party.ts"
import { DEV_ACCOUNTS } from "../../test/fixtures/chain.ts"
import { writeSampleLists } from "../../test/fixtures/sample-lists.ts"
import { SAMPLE_COMPANY, writeSampleRegister } from "../../test/fixtures/sample-uk-register.ts"
import { type AnswerParts, buyAnswer, quoteCommand, writeRequest } from "./answers.ts"
import { type Buyer, must } from "./buyer.ts"
import { UK_OTHER_PAYEE, UK_PAYEE, ukChangeDraft, ukPaymentDraft } from "./drafts.ts"
import { priceOf } from "./money.ts"
import { expectSame, UnexpectedOutcome } from "./story.ts"

export async function ukPaymentIsAuthorized(parts: AnswerParts, agent: Buyer): Promise<void> {
  await sourcesAreMissing(parts, agent)
  const paid = await paymentIsAuthorized(parts, agent)
  await changeIsTakenBack(parts, agent, paid.execution_id)
}

async function sourcesAreMissing({ story, run, folder, data }: AnswerParts, agent: Buyer): Promise<void> {
  const requests = writeRequest(agent, "uk-asked", ukPaymentDraft(Date.now()))
  const ask = () => run([...quoteCommand(agent, requests), "--out", agent.path("uk-asked.quote.json"), "--json"])
  await story.tell("missing source", 0n, async () => {
    const { exit, out, err } = await ask()
    expectSame(`the exit code of agent quote (${err})`, exit, 3)
    const { decision, machine_action: action, reason_codes } = JSON.parse(out) as BusinessAnswer
    expectSame("the decision", decision, "NO_DECISION")
    return { outcome: `${decision} ${reason_codes.join(" ")}, no quote`, facts: { action } }
  })
  await story.tell("UK sources", 0n, async () => {
    const now = Date.now()
    const lists = writeSampleLists(join(folder, "uk-lists"), { publishedAt: now - HOUR })
    const register = join(folder, "uk-register")
    writeSampleRegister(register, now)
    for (const id of REQUIRED_GB_SOURCES) await must(run, ["sources", "import", id, lists[id], "--data", data])
    await must(run, ["sources", "import", "UK_COMPANIES_HOUSE", register, "--data", data])
    const giveUpAt = Date.now() + TAKEN_UP_MS
    while ((await ask()).exit !== 0) {
      if (Date.now() > giveUpAt) throw new UnexpectedOutcome("the imported UK sources are not used")
      await Bun.sleep(POLL_EVERY_MS)
    }
    return { outcome: "register of companies and sanctions list imported; the running service took them up" }
  })
}

/** The service polls for new lists once a second. */
const TAKEN_UP_MS = 10_000
const POLL_EVERY_MS = 200

async function paymentIsAuthorized(parts: AnswerParts, agent: Buyer): Promise<BusinessAnswer<GbPaymentResult>> {
  const { story } = parts
  const { answer } = await story.tell("UK payment", priceOf(authorizeGbPayment), async () => {
    const body = ukPaymentDraft(Date.now())
    const order = { name: "uk-payment", operation: authorizeGbPayment, body, decision: "APPROVE" } as const
    const bought = await buyAnswer<GbPaymentResult>(parts, agent, order)
    return { outcome: "supplier, invoice and payee in order; a token for this payment", ...bought }
  })
  await story.tell("kept answer", 0n, async () => {
    const { execution_id: id, limitations, result } = answer
    const again = await fetch(`${agent.server}/v1/gb/executions/${id}`)
    const kept = (await again.json()) as BusinessAnswer<GbPaymentResult>
    expectSame("the status", again.status, 200)
    expectSame("the mark of a replay", kept.replayed, true)
    expectSame("the token in it", kept.result.authorization_token, "")
    const delivered = readFileSync(agent.path("uk-payment.json"), "utf8")
    expectSame("all else", canonicalize({ ...kept, replayed: false, limitations, result }) === delivered, true)
    return { outcome: "the same answer by its execution id, without its token; no source asked, nothing signed" }
  })
  await story.tell("token redeemed", 0n, async () => {
    const { amount, currency, company_number, payee_fingerprint, authorization_token: token } = answer.result
    const body = { ...held(token), binding: { company_number, payee_fingerprint, amount, currency, wallet: WALLET } }
    const redeem = (key: string) => agent.post(redeemGbToken.path, { ...body, idempotency_key: key })
    await expectAnswer(await redeem("demo-redeem-1"), 200, "token_state", "SPENT")
    await expectAnswer(await redeem("demo-redeem-2"), 409, "code", "TOKEN_SPENT")
    return { outcome: "once; the second redeem is 409 TOKEN_SPENT" }
  })
  return answer
}

/** `prior` is the execution id of the payment before the change. */
async function changeIsTakenBack(parts: AnswerParts, agent: Buyer, prior: string): Promise<void> {
  const { story } = parts
  const { answer } = await story.tell("UK vendor change", priceOf(authorizeGbVendorChange), async () => {
    const body = ukChangeDraft(prior, Date.now())
    const order = { name: "uk-change", operation: authorizeGbVendorChange, body, decision: "APPROVE" } as const
    const bought = await buyAnswer<GbVendorChangeResult>(parts, agent, order)
    return { outcome: "authorized on a call back made after the payment it names", ...bought }
  })
  await story.tell("token revoked", 0n, async () => {
    const token = held(answer.result.authorization_token)
    const revocation = { ...token, idempotency_key: "demo-revoke-1", reason: "CHANGE_WITHDRAWN" }
    await expectAnswer(await agent.post(revokeGbToken.path, revocation), 200, "token_state", "REVOKED")
    const binding = {
      company_number: SAMPLE_COMPANY.number,
      current_payee_fingerprint: UK_PAYEE,
      proposed_payee_fingerprint: UK_OTHER_PAYEE,
      wallet: WALLET,
    }
    const redemption = { ...token, idempotency_key: "demo-redeem-3", binding }
    await expectAnswer(await agent.post(redeemGbToken.path, redemption), 409, "code", "TOKEN_REVOKED")
    return { outcome: "the supplier withdrew it; redeeming it is 409 TOKEN_REVOKED" }
  })
}

const WALLET = DEV_ACCOUNTS.payer.address

function held(token: string) {
  return { schema_version: "1.0.0", token }
}

async function expectAnswer(answer: Response, status: number, member: string, value: string): Promise<void> {
  const body = (await answer.json()) as Record<string, unknown>
  expectSame(`the status (${String(body["code"])})`, answer.status, status)
  expectSame(member, body[member], value)
}
