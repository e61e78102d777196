import { join } from "node:path"
import { countInWords } from "../../src/core/text/count-in-words.ts"
import { ANSWER_RULES, PRODUCTS } from "../../src/products/products.ts"
import { code, page } from "./markdown.ts"
import { operations } from "./operations.ts"
import type { Sale } from "./sell-products.ts"

const PRINT_SALES = join(import.meta.dir, "print-sales.ts")

const INTRODUCTION = `Each product with a complete request and the answer that the program gave. \`bun run docs\` sells all ${countInWords(PRODUCTS.length)} in this order,
ten minutes apart, to one wallet, on a chain in memory. A later request may name an earlier answer by its \`execution_id\`.

Your ids, times, digests and signatures differ. Here \`scripts/docs/sell-products.ts\` fixes the clock, the random numbers and the keys,
so that they are the same in each run. The companies, lists and wallets are invented. The server sends an answer as one line of
canonical JSON; the page breaks it into lines, and the digest of a UK request is that of its JSON in one line.

Each request goes out twice: without a payment it returns the quote (402), and with the header \`Payment-Signature\` it returns the answer
(200). [Buy an answer](../buy.md) says what to do with each response. The ${countInWords(ANSWER_RULES.length)} business answers send the signed proof capsule in the
header \`Svc-Proof-Capsule\`; the Payment Decision has it in its body.`

/** Every product, each with a request and its answer. */
export async function productsPage(): Promise<string> {
  const rows = await operations()
  const sections = sales().map((sale) => {
    const operation = rows.find(({ path }) => path === sale.row.path)
    return section(sale, operation?.summary ?? "")
  })
  return page("Products", INTRODUCTION, ...sections)
}

/** Sold in a process of their own: there the counters of the fixtures start at zero, so that the answers are the same in each run. */
function sales(): readonly Sale[] {
  const { success, stdout, stderr } = Bun.spawnSync([process.execPath, PRINT_SALES])
  if (!success) throw new Error(stderr.toString())
  return JSON.parse(stdout.toString())
}

function section({ row, request, headers, answer, capsule }: Sale, summary: string): string {
  return [
    `## ${titleOf(row.id)}`,
    `${summary}. Product ${code(row.id)}, ${row.price} USDC.`,
    `Request, ${code(`POST ${row.path}`)}:`,
    ...(Object.keys(headers).length > 0 && row.country === "GB" ? [block("text", headerLines(headers))] : []),
    block("json", JSON.stringify(request, null, 2)),
    `Answer, 200:`,
    ...(capsule === null ? [] : [block("text", `Svc-Proof-Capsule: ${capsule}`)]),
    block("json", JSON.stringify(answer, null, 2)),
  ].join("\n\n")
}

/** The name under which a quote sells it: the part of its description before the comma. */
function titleOf(id: string): string {
  const rules = ANSWER_RULES.find((one) => one.id === id)
  return rules?.description.split(",")[0] ?? "US Payment Decision"
}

function headerLines(headers: Sale["headers"]): string {
  const name = (text: string) => NAMES[text] ?? text
  return Object.entries(headers)
    .map(([header, value]) => `${name(header)}: ${value}`)
    .join("\n")
}

const NAMES: Readonly<Record<string, string>> = {
  "idempotency-key": "Idempotency-Key",
  "x-cdo-request-body-digest": "X-CDO-Request-Body-Digest",
}

function block(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}
