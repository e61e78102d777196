import { readLlmsText } from "../../schemas/discovery/entry.ts"
import { servedLinks } from "./entry-links.ts"
import type { ConstantRow, DocumentParts } from "./parts.ts"
import { soldOperations } from "./sold.ts"

/** `/llms.txt`: H1, blockquote, lists of links. Under 4 KB. */
export const LLMS_TEXT: ConstantRow = { operation: readLlmsText, print: llmsText }

function llmsText({ baseUrl, issuerName, operations }: DocumentParts): string {
  const paths = new Set(operations.map(({ path }) => path))
  const links = servedLinks(operations)
    .filter(({ path }) => path !== readLlmsText.path)
    .map(({ title, path }) => `- [${title}](${baseUrl}${path})`)
  const sold = soldOperations(operations).map(({ path, method, product, price }) => {
    const schema = `${path}/schema`
    const link = paths.has(schema) ? `[${product.id}](${baseUrl}${schema})` : product.id
    return `- ${link}: ${method} ${path}, ${product.jurisdiction}, ${price.amount} ${price.asset}`
  })
  return [
    `# ${issuerName}`,
    "",
    "> Signed answers that let an autonomous agent release, hold or block a business payment. Agent identity is free. A paid call answers 402 with a quote bound to its body (x402 v2, USDC); nothing is charged until the caller signs that quote. The service never moves the caller's business payment.",
    "",
    "## Start here",
    "",
    ...links,
    "",
    "## Products",
    "",
    "Each link is the JSON Schema of the body; the same path with `/example` gives a complete synthetic body, with `/eligibility` a free check.",
    "",
    ...sold,
    "",
  ].join("\n")
}
