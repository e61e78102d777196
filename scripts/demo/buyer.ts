/** The buyer's side of the demo. Every step is a command of the program, on files in one folder. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { ExactEvmScheme } from "@x402/evm/exact/client"
import { wrapFetchWithPayment, x402Client } from "@x402/fetch"
import { BASE_NETWORK } from "../../schemas/network.ts"
import type { DecisionResponse } from "../../schemas/us/decision-response.ts"
import { PAYMENT_DECISION_PATH } from "../../schemas/us/payment-decision.ts"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { DEV_ACCOUNTS } from "../../test/fixtures/chain.ts"
import { expectSame, UnexpectedOutcome } from "./story.ts"

type Ran = { readonly exit: number; readonly out: string; readonly err: string }
export type Run = (args: readonly string[]) => Promise<Ran>

/** Runs a command that must succeed. Returns its JSON output if JSON was requested. */
export async function must(run: Run, args: readonly string[]): Promise<{ text: string; json: Record<string, string> }> {
  const { exit, out, err } = await run(args)
  if (exit !== 0) throw new UnexpectedOutcome(`bizauth ${args.slice(0, 2).join(" ")} ended with ${exit}: ${err || out}`)
  return { text: out, json: args.includes("--json") ? (JSON.parse(out) as Record<string, string>) : {} }
}

export class Buyer {
  constructor(
    private readonly run: Run,
    private readonly folder: string,
    readonly server: string,
  ) {}

  path(name: string): string {
    return join(this.folder, name)
  }

  /** Signs a draft as `NAME.request.json` and returns the path. */
  async sign(name: string, draft: Record<string, unknown>): Promise<string> {
    const draftPath = this.path(`${name}.draft.json`)
    const out = this.path(`${name}.request.json`)
    writeFileSync(draftPath, JSON.stringify(draft, null, 2))
    const files = ["--keys", this.path("agent.json"), "--mandate-key", this.path("mandate.key")]
    await must(this.run, ["agent", "sign-request", ...files, "--request", draftPath, "--out", out])
    return out
  }

  post(path: string, body: unknown): Promise<Response> {
    return fetch(this.server + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: canonicalize(body),
    })
  }

  /** Buys with the official x402 client for fetch: request, 402, signature, second request. */
  async buyWithOfficialClient(
    request: unknown,
  ): Promise<{ bytes: string; delivery: DecisionResponse; transaction: string }> {
    const client = new x402Client().register(BASE_NETWORK, new ExactEvmScheme(DEV_ACCOUNTS.payer))
    const paying = wrapFetchWithPayment(fetch, client)
    const answer = await paying(this.server + PAYMENT_DECISION_PATH, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: canonicalize(request),
    })
    const bytes = await answer.text()
    if (answer.status !== 200) throw new UnexpectedOutcome(`the paid call was answered ${answer.status}: ${bytes}`)
    const settled = Buffer.from(answer.headers.get("payment-response") ?? "", "base64").toString("utf8")
    const { transaction } = JSON.parse(settled) as { transaction: string }
    expectSame("the answer", canonicalize(JSON.parse(bytes)) === bytes, true)
    return { bytes, delivery: JSON.parse(bytes) as DecisionResponse, transaction }
  }
}
