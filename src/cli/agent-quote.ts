import { askQuote } from "../agent/ask-quote.ts"
import { termsOf } from "../agent/quote-file.ts"
import { requireRequest } from "../agent/request-file.ts"
import { type Send, sendOverNetwork, serverOrigin } from "../agent/service-call.ts"
import { ratioDecimal } from "../core/money.ts"
import { formatInstant, SECOND } from "../core/time.ts"
import { type Command, type Input, JSON_FLAG } from "./command.ts"
import { EXIT, type ExitCode } from "./exit.ts"
import { readDocumentJson } from "./read-document.ts"
import { writeNewFile } from "./write-output.ts"

const required = true

/** Exit 3: the service refused or its quote contradicts itself; 4: not answered, busy, or a payment is under way. */
export const command: Command = {
  name: "agent quote",
  summary: "ask what a signed request would cost; never pays (3 refused, 4 no answer yet)",
  operands: "",
  flags: {
    server: { help: "origin of the service", value: "URL", required },
    request: { help: "signed request of agent sign-request", value: "FILE", required },
    out: { help: "new file for the quote", value: "QUOTE", required },
    ...JSON_FLAG,
  },
  run: (input) => runQuote(input, sendOverNetwork),
}

export async function runQuote(input: Input, send: Send): Promise<ExitCode> {
  const server = serverOrigin(input.need("server"))
  const request = requireRequest(await readDocumentJson(input.need("request")))
  const quote = await askQuote(send, server, request)
  const { amountAtomic, asset, requirements, expiresAt } = termsOf(quote, request)
  const out = input.need("out")
  writeNewFile(out, `${JSON.stringify(quote, null, 2)}\n`)
  const ends = formatInstant(expiresAt * SECOND)
  input.out(
    input.on("json")
      ? `${JSON.stringify({ version: 1, file: out, amount_atomic: requirements.amount, asset: "USDC", network: asset.network, pay_to: requirements.payTo, expires_at: ends, charged: false })}\n`
      : `This is a price, not a charge: nothing was paid.
price   ${ratioDecimal(amountAtomic, 1_000_000n, 6)} USDC on ${asset.network}, once, for one decision
to      ${requirements.payTo}
until   ${ends}
next    read the request once more, then: bizauth agent pay --quote ${out}
`,
  )
  return EXIT.DONE
}
