/** The answers that the agent's wallet buys in addition to the decision. Any payer can buy them, whatever its organization. */
import { readFileSync, writeFileSync } from "node:fs"
import type { AnswerDecision, BusinessAnswer } from "../../schemas/business-answer.ts"
import { authorizeGbPayment } from "../../schemas/gb/payment.ts"
import { authorizeGbVendorChange } from "../../schemas/gb/vendor-change.ts"
import type { Operation } from "../../schemas/operation.ts"
import { checkCompany } from "../../schemas/us/company-check.ts"
import { DEV_ACCOUNTS } from "../../test/fixtures/chain.ts"
import { type Buyer, must, type Run } from "./buyer.ts"
import { priceOf } from "./money.ts"
import { expectSame, type Story } from "./story.ts"

export interface AnswerParts {
  readonly story: Story
  readonly run: Run
  /** Absolute path of the compiled program. */
  readonly binary: string
  readonly folder: string
  readonly data: string
}

/** In the order of the story, in millionths of a USDC. */
export const ANSWER_PRICES = [checkCompany, authorizeGbPayment, authorizeGbVendorChange].map(priceOf)

interface Order {
  /** File name: the answer becomes `NAME.json`, its capsule `NAME.json.capsule`. */
  readonly name: string
  readonly operation: Pick<Operation, "id" | "price">
  readonly body: unknown
  readonly decision: AnswerDecision
}

interface BoughtAnswer<Result extends object> {
  readonly answer: BusinessAnswer<Result>
  readonly facts: Readonly<Record<string, string>>
}

/** Quotes and pays with the agent's commands. The answer must have this decision. */
export async function buyAnswer<Result extends object>(
  { run }: AnswerParts,
  agent: Buyer,
  { name, operation, body, decision }: Order,
): Promise<BoughtAnswer<Result>> {
  const request = writeRequest(agent, name, body)
  const [quote, out] = [agent.path(`${name}.quote.json`), agent.path(`${name}.json`)]
  const price = String(priceOf(operation))
  const quoted = await must(run, [...quoteCommand(agent, request), "--out", quote, "--json"])
  expectSame("the price", quoted.json["amount_atomic"], price)
  const { json } = await must(run, [
    ...["agent", "pay", "--quote", quote, "--request", request, "--wallet-key", agent.path("wallet.key"), "--json"],
    ...["--yes", "--max-atomic", price, "--pay-to", DEV_ACCOUNTS.payTo.address, "--out", out],
  ])
  const answer = JSON.parse(readFileSync(out, "utf8")) as BusinessAnswer<Result>
  const reasons = answer.reason_codes.join(" ")
  expectSame(`the decision (${reasons})`, json["decision"], decision)
  return { answer, facts: { reasons, execution: answer.execution_id, transaction: json["transaction"] ?? "" } }
}

export function writeRequest(agent: Buyer, name: string, body: unknown): string {
  const path = agent.path(`${name}.request.json`)
  writeFileSync(path, JSON.stringify(body, null, 2))
  return path
}

export function quoteCommand(agent: Buyer, request: string): readonly string[] {
  return ["agent", "quote", "--server", agent.server, "--request", request]
}
