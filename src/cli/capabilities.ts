import { Value } from "@sinclair/typebox/value"
import { Capabilities, getCapabilities } from "../../schemas/discovery/capabilities.ts"
import { answered, refused, sendOverNetwork, serverOrigin } from "../agent/service-call.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { jsonOrUndefined } from "../core/strict-json.ts"
import type { Command } from "./command.ts"
import { tableLines } from "./rows.ts"

const BYTES_MAX = 1024 * 1024
const TIMEOUT_MS = 30_000

/**
 * CHOICE: it asks a running server and never opens a data directory. Whether something can be sold now depends on the checks of a running
 * process: its payments, its chain nodes and its sources.
 */
export const command: Command = {
  name: "capabilities",
  summary: "show what a running server sells, what it can sell now and why not, what is free, and its sources",
  operands: "",
  flags: {
    server: { help: "base URL of the service", value: "URL", required: true },
    json: { help: "the server's answer, unchanged" },
  },
  examples: ["capabilities --server http://127.0.0.1:8402"],
  run: async (input) => {
    const server = serverOrigin(input.need("server"))
    const { bytes, capabilities } = await readCapabilities(server)
    input.out(input.on("json") ? `${new TextDecoder().decode(bytes)}\n` : forPeople(capabilities))
    return EXIT.DONE
  },
}

async function readCapabilities(server: string): Promise<{ bytes: Uint8Array; capabilities: Capabilities }> {
  const request = new Request(`${server}${getCapabilities.path}`, {
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const { status, bytes } = await answered(sendOverNetwork, request, BYTES_MAX)
  if (status !== 200) throw refused("catalogue", { status, code: null })
  const body = jsonOrUndefined(bytes)
  if (!Value.Check(Capabilities, body)) {
    throw new CommandError(EXIT.NOT_CHECKED, `${new URL(server).host} did not answer with a capability catalogue`)
  }
  return { bytes, capabilities: body }
}

function forPeople({ products, solutions, free_operations, source_health, ...rest }: Capabilities): string {
  const sold = products.map(({ product_id, price, sellable_now, why_not }) => [
    sellable_now ? "sells now" : (why_not ?? ""),
    `${price.amount} ${price.asset}`,
    product_id,
  ])
  const grouped = solutions.map(({ solution_id, operation_ids }) => [solution_id, operation_ids.join(", ")])
  const sources = source_health.map(({ source_id, health, reason_codes, stale_at }) => [
    source_id,
    health,
    [...reason_codes, ...(stale_at === null ? [] : [`stale ${stale_at}`])].join(" "),
  ])
  const free = free_operations.map(({ operation_id, method, path, enabled }) => [
    enabled ? "free" : "switched off",
    `${method} ${path}`,
    operation_id,
  ])
  return `${[
    section("Products", sold),
    section("Solutions", grouped),
    section("Sources", sources),
    section("Free operations", free),
  ].join("\n")}\nas of ${rest.valid_as_of}; next: ${rest.next_machine_action}\n`
}

function section(title: string, rows: readonly (readonly string[])[]): string {
  return `${[title, ...tableLines(rows).map((line) => `  ${line}`)].join("\n")}\n`
}
