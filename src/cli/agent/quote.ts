import { askQuote } from "../../agent/ask-quote.ts"
import { recognisedRequest } from "../../agent/product-request.ts"
import { type ReviewDuty, termsOf } from "../../agent/quote-file.ts"
import { type Send, sendOverNetwork, serverOrigin } from "../../agent/service-call.ts"
import { EXIT, type ExitCode } from "../../base/exit.ts"
import { ratioDecimal } from "../../core/money.ts"
import { formatInstant, SECOND } from "../../core/time.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { readDocumentJson } from "../documents/read-document.ts"
import { writeNewFile } from "../documents/write-output.ts"
import { tellUncharged } from "./uncharged.ts"

const required = true

/** Exit 3: the service refused, decides nothing, or its quote contradicts itself. Exit 4: no answer, RETRY, or a payment is in progress. */
export const command: Command = {
  name: "agent quote",
  summary: "ask for the price of a request for any product; never pays (3 rejected, 4 no answer yet)",
  operands: "",
  flags: {
    server: { help: "origin of the service", value: "URL", required },
    request: {
      help: "body of the request; of a Payment Decision signed by agent sign-request",
      value: "FILE",
      required,
    },
    product: { help: "product of the body; needed if its members fit several products", value: "ID" },
    out: { help: "new file for the quote", value: "QUOTE", required },
    ...JSON_FLAG,
  },
  examples: ["agent quote --server http://127.0.0.1:8402 --request ./request.json --out ./quote.json"],
  run: (input) => runQuote(input, sendOverNetwork),
}

/** The caller's duty before payment (Interface, rule 7). */
export const DUTY: Readonly<Record<ReviewDuty, string>> = {
  HUMAN_REVIEW_BEFORE_PAYMENT: "a person reviews this quote before it is paid",
  REVIEW_QUOTE_BEFORE_PAYMENT: "read the request once more before you pay",
}

export async function runQuote(input: Input, send: Send): Promise<ExitCode> {
  const server = serverOrigin(input.need("server"))
  const request = recognisedRequest(await readDocumentJson(input.need("request")), input.text("product"))
  const response = await askQuote({ send, server, recovery: "bizauth agent recover" }, request)
  if (response.kind === "UNCHARGED") return tellUncharged(input, response.answer)
  const { quote } = response
  const { amountAtomic, asset, requirements, expiresAt } = termsOf(quote, request)
  const out = input.need("out")
  writeNewFile(out, `${JSON.stringify(quote, null, 2)}\n`)
  const ends = formatInstant(expiresAt * SECOND)
  const told = {
    version: 1,
    file: out,
    product: quote.product,
    amount_atomic: requirements.amount,
    asset: "USDC",
    network: asset.network,
    pay_to: requirements.payTo,
    expires_at: ends,
    review_duty: quote.review_duty,
    charged: false,
  }
  input.out(
    input.on("json")
      ? `${JSON.stringify(told)}\n`
      : `This is a price, not a charge: nothing was paid.
product ${quote.product}
price   ${ratioDecimal(amountAtomic, 1_000_000n, 6)} USDC on ${asset.network}, once, for one answer
to      ${requirements.payTo}
until   ${ends}
review  ${quote.review_duty}: ${DUTY[quote.review_duty]}
next    bizauth agent pay --quote ${out}
`,
  )
  return EXIT.DONE
}
