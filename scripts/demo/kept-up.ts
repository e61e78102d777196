/** After the story with `--keep`: what a person can look at and buy while the server stays up. */
import { readFileSync, writeFileSync } from "node:fs"
import type { BusinessAnswer } from "../../schemas/business-answer.ts"
import { getOpenapi } from "../../schemas/discovery/openapi.ts"
import { authorizeGbPayment } from "../../schemas/gb/payment.ts"
import { shellWord } from "../../src/cli/rows.ts"
import type { Buyer } from "./buyer.ts"
import { ukPaymentDraft } from "./drafts.ts"
import { formatUsdc, priceOf } from "./money.ts"

/** Name of a request that nobody has bought. The evidence in it is valid for twelve hours. */
const ORDER = "order"

interface KeptParts {
  /** Absolute path of the compiled program. */
  readonly binary: string
  readonly buyer: Buyer
  /** The name of the file with a bought answer of one of the other products. */
  readonly answer: string
}

/** The addresses that this server has, and the lines that buy and verify one answer. */
export async function keptUpText(parts: KeptParts): Promise<string> {
  const { buyer } = parts
  writeFileSync(
    buyer.path(`${ORDER}.json`),
    JSON.stringify({ ...ukPaymentDraft(Date.now()), amount: "310.00", idempotency_key: "demo-order" }, null, 2),
  )
  const open = await addressesOf(parts)
  const width = Math.max(...open.map(({ what }) => what.length))
  const [buy, check] = orderLines(parts)
  return `
the server and its chain stay up until Ctrl-C

open
${open.map(({ what, url }) => `  ${what.padEnd(width)}  ${url}\n`).join("")}
buy one answer, a UK payment for ${formatUsdc(priceOf(authorizeGbPayment))} of test money
  ${buy}

verify it offline
  ${check}
`
}

/** A page may need a release that has it, so only pages that answer are printed. */
async function addressesOf({ buyer, answer }: KeptParts): Promise<readonly { what: string; url: string }[]> {
  const { execution_id: id } = JSON.parse(readFileSync(buyer.path(answer), "utf8")) as BusinessAnswer
  const candidates = [
    { what: "what this server is", path: "/" },
    { what: "sources, payments, log", path: "/status" },
    { what: "verify in the browser", path: "/verify" },
    { what: "documentation", path: "/docs" },
    { what: "an answer that was bought", path: `/deliveries/${id}` },
    { what: "OpenAPI", path: getOpenapi.path },
  ].map(({ what, path }) => ({ what, url: buyer.server + path }))
  const answers = await Promise.all(candidates.map(({ url }) => fetch(url, { headers: { accept: "text/html, */*" } })))
  return candidates.filter((_, index) => answers[index]?.status === 200)
}

/** Two lines for a shell in any folder. */
function orderLines({ binary, buyer }: KeptParts): readonly [string, string] {
  const program = shellWord(binary)
  const file = (name: string) => shellWord(buyer.path(name))
  const [order, quote, out] = [file(`${ORDER}.json`), file(`${ORDER}.quote`), file(`${ORDER}.answer.json`)]
  return [
    `${program} agent quote --server ${buyer.server} --request ${order} --out ${quote} && ${program} agent pay --quote ${quote} --request ${order} --wallet-key ${file("wallet.key")} --out ${out}`,
    `${program} verify ${out} --issuer ${file("issuer.jwks.json")} --request ${order} --require CONTINUE --environment test`,
  ]
}
