import { code, page, table } from "./markdown.ts"
import { operations } from "./operations.ts"

/** Every operation of the HTTP interface, ordered by path. */
export async function routesPage(): Promise<string> {
  const rows = (await operations()).map(({ id, method, path, authentication, price, rateLimit, summary }) => [
    code(`${method} ${path}`),
    code(id),
    authentication,
    price && price.amount !== "0" ? `${price.amount} ${price.asset}` : "free",
    `${rateLimit.perMinute}, ${rateLimit.group}`,
    summary,
  ])
  const head = ["route", "operation", "authentication", "price", "a minute, shared by", "what it does"]
  return page("HTTP routes", table(head, rows))
}
