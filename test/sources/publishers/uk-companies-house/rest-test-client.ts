/** A Companies House service on this machine with replies that a test sets, and a client with its store. */
import { openDatabase } from "../../../../db/open.ts"
import { createLog } from "../../../../src/base/log.ts"
import { realMachine } from "../../../../src/base/machine.ts"
import {
  openRestClient,
  type RestClientParts,
} from "../../../../src/sources/publishers/uk-companies-house/rest-client.ts"
import { SqliteStore } from "../../../../src/store/engine/sqlite/sqlite-store.ts"
import { freshDirectory } from "../../../fixtures/directories.ts"
import { openMigrated } from "../../../fixtures/new-database.ts"

export const NUMBER = "00006400"
export const START = Date.parse("2026-11-21T10:00:00.000Z")

/** A profile in the form of the published examples, with an etag. */
export function profile(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    accounts: { next_due: "2027-09-30", overdue: false, accounting_reference_date: { day: "31", month: "12" } },
    can_file: true,
    company_name: "EXAMPLE TRADING LIMITED",
    company_number: NUMBER,
    company_status: "active",
    confirmation_statement: { next_due: "2027-03-18", next_made_up_to: "2027-03-04", overdue: true },
    date_of_creation: "2015-03-04",
    etag: "5a3c51b439584d98d420143d6a22996571646302",
    has_charges: true,
    has_insolvency_history: false,
    jurisdiction: "england-wales",
    links: { self: `/company/${NUMBER}` },
    previous_company_names: [{ name: "OLDER NAME LTD", effective_from: "2015-03-04", ceased_on: "2018-05-16" }],
    registered_office_address: {
      address_line_1: "1 Example Street",
      country: "England",
      locality: "Exampleton",
      postal_code: "EX1 1EX",
    },
    sic_codes: ["62012"],
    type: "ltd",
    ...changes,
  }
}

export type Reply = (request: Request) => Response | Promise<Response>

export const json =
  (body: unknown, init: ResponseInit = {}): Reply =>
  () =>
    Response.json(body, init)

/** A server with a reply that a test can change. `requests` counts the requests that reached it. */
export function companiesHouse(first: Reply = json(profile())) {
  const seen = { requests: 0, authorization: "", path: "" }
  let reply = first
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      seen.requests += 1
      seen.authorization = request.headers.get("authorization") ?? ""
      seen.path = new URL(request.url).pathname
      return reply(request)
    },
  })
  return {
    url: server.url.origin,
    seen,
    answer: (next: Reply) => {
      reply = next
    },
    stop: () => server.stop(true),
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

/** Store, clock and client. `again` opens another store and client on the same file, like a second process or a restart. */
export function restTestClient(
  baseUrl: string,
  changes: Partial<RestClientParts> & { timeoutMs?: number; key?: string } = {},
) {
  const directory = freshDirectory()
  const path = `${directory.path}/lookup.db`
  const clock = { now: START }
  const lines: string[] = []
  const stores: SqliteStore[] = []
  const database = openMigrated(path, "2026-11-21T10:00:00.000Z")
  const open = (opened = openDatabase(path)) => {
    const store = new SqliteStore(opened, (error) => {
      throw error
    })
    stores.push(store)
    const client = openRestClient({
      store,
      machine: { ...realMachine, now: () => clock.now, random: (length) => new Uint8Array(length).fill(255) },
      log: createLog(
        "debug",
        (line) => lines.push(line),
        () => clock.now,
      ),
      service: { baseUrl, key: changes.key ?? "secret-api-key", timeoutMs: changes.timeoutMs ?? 5000 },
      requestsMax: changes.requestsMax ?? 600,
    })
    return { store, lookUp: (number = NUMBER) => client.lookUp(number, clock.now) }
  }
  return {
    ...open(database),
    path,
    clock,
    lines,
    database,
    again: () => open(),
    pass: (milliseconds: number) => {
      clock.now += milliseconds
    },
    [Symbol.asyncDispose]: async () => {
      for (const store of stores) await store.close()
      directory[Symbol.dispose]()
    },
  }
}
