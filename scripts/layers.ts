/** The layers of the source, their purpose and their allowed imports. The import rules use this table, and docs/reference/layers.md prints it. */
interface Layer {
  /** `schemas`, `db`, or a folder of `src/`. A folder inside another one is a layer of its own if it has a row. */
  readonly name: string
  readonly what: string
  /** Layers that it may import in addition to itself. `server` assembles all of them. */
  readonly imports: readonly string[]
}

const BOTTOM = ["core", "schemas", "base"] as const

/** From the bottom up: a layer imports only layers in the rows above it. Some also import the `server`. */
export const LAYERS: readonly Layer[] = [
  {
    name: "schemas",
    what: "the promise on the wire: TypeBox values, one `operation({...})` for each route; data only",
    imports: [],
  },
  {
    name: "db",
    what: "the promise on disk: tables, append-only migrations, open, migrate",
    imports: [],
  },
  {
    name: "core",
    what: "pure: canonical JSON, strict JSON, digests, Ed25519, capsule, money, time, ids",
    imports: ["schemas"],
  },
  {
    name: "base",
    what: "what every layer with I/O may use: settings, clock, log, refusals, exit codes, faults of the operating system",
    imports: ["core"],
  },
  {
    name: "checks",
    what: "pure gates: `policy/` (gate, rows, judge), `us/`, `gb/`",
    imports: ["core", "schemas"],
  },
  {
    name: "catalogue",
    what: "fixed tables for a person: what to do about each remediation of the policies, who may and how; the publisher's page of a listed entry",
    imports: [],
  },
  {
    name: "case",
    what: "one answer of any product as a person reads it: permission, what was compared with what, listed entries, the way out; pure, without a clock",
    imports: ["checks", "catalogue", "core", "schemas"],
  },
  {
    name: "jobs/buyer-signing",
    what: "signs an ACP job on the buyer's machine: one source for the command and the published module",
    imports: ["core", "schemas"],
  },
  {
    name: "offline",
    what: "verifies a document of any kind with only the document, keys and a time: one source for the commands, the page and the published module",
    imports: ["checks", "case", "jobs/buyer-signing", ...BOTTOM],
  },
  {
    name: "release",
    what: "who published a file: signatures of minisign, sums, and the check of a download",
    imports: ["core"],
  },
  {
    name: "store",
    what: "one file for each aggregate, by subject; each function is one atomic unit of work",
    imports: ["db", "core", "base"],
  },
  {
    name: "keys",
    what: "the service's own signing keys: files, ring, published set",
    imports: ["store", ...BOTTOM],
  },
  {
    name: "http",
    what: "how an operation becomes a route: size, media type, strict JSON, closed schema, problem+json, limits",
    imports: ["store", ...BOTTOM],
  },
  {
    name: "sources",
    what: "restricted-party lists and registers: formats, records, publishers, screening, import, fetch, boards",
    imports: ["catalogue", "store", ...BOTTOM],
  },
  {
    name: "data",
    what: "the data directory and its files",
    imports: ["sources", "keys", "store", "db", "core", "base"],
  },
  {
    name: "data/backup",
    what: "backups of a data directory: make, read, check, restore",
    imports: ["data", "sources", "keys", "store", "db", ...BOTTOM],
  },
  {
    name: "data/database-move",
    what: "moves the database of a data directory to a server and back, and compares it",
    imports: ["data", "sources", "keys", "store", "db", "core", "base"],
  },
  {
    name: "payments/networks",
    what: "a row for each chain on which a service may sell: asset, domain, tag of the safe block, gas; data only",
    imports: [],
  },
  {
    name: "payments",
    what: "x402: quote, verify a payment, settle, watch the chain",
    imports: ["payments/networks", "store", ...BOTTOM],
  },
  {
    name: "sandbox/chain",
    what: "an EVM chain and its node in memory; a caller hands in every contract except USDC",
    imports: ["payments/networks", "payments", "core"],
  },
  {
    name: "delivery",
    what: "the one path of every paid answer: find, quote, claim, decide, seal, settle, reveal, recover",
    imports: ["store", "payments", ...BOTTOM],
  },
  {
    name: "contact",
    what: "what a draft of a request lacks, and how to complete and buy it: free, and no source is read",
    imports: ["store", "http", ...BOTTOM],
  },
  {
    name: "contact/mail",
    what: "contact by e-mail: takes mail, proves mailboxes, sends mail; the only place that imports the packages for mail",
    imports: ["contact", "store", "http", ...BOTTOM],
  },
  {
    name: "jobs",
    what: "the job rail: hub, escrow contract, and the worker that serves jobs",
    imports: ["delivery", "payments", "store", ...BOTTOM],
  },
  {
    name: "products/common",
    what: "what all products share: the row of a product, its checks before a quote, its sale, its routes, its export and its replay",
    imports: ["offline", "delivery", "payments", "store", "sources", "checks", "http", "keys", ...BOTTOM],
  },
  {
    name: "products",
    what: "the list of products (`products.ts`), and one folder for each: facts (I/O), decide (pure), policy (data), routes (HTTP)",
    imports: [
      "products/common",
      "offline",
      "delivery",
      "payments",
      "store",
      "sources",
      "checks",
      "http",
      "keys",
      ...BOTTOM,
    ],
  },
  {
    name: "agent-mode",
    what: "what agents do beside a purchase: plan, keep proofs, exchange offers and messages, run journeys in the sandbox",
    imports: ["products/common", "offline", "delivery", "payments", "store", "http", "keys", ...BOTTOM],
  },
  {
    name: "discovery",
    what: "the table of operations, and the documents that agents read, printed from the served rows: OpenAPI, well-known documents, capabilities, signed manifest",
    imports: ["products", "delivery", "payments", "jobs/buyer-signing", "http", ...BOTTOM],
  },
  {
    name: "endpoints/mcp",
    what: "the MCP endpoint: two eras of the protocol, tools and resources over the served rows",
    imports: ["discovery", "payments", "http", ...BOTTOM],
  },
  {
    name: "endpoints/a2a",
    what: "the A2A endpoint: messages that call a free tool",
    imports: ["discovery", "endpoints/mcp", "http", ...BOTTOM],
  },
  {
    name: "pages/views",
    what: "what a stored document says, in words: nothing is verified",
    imports: ["products", "offline", "case", "core", "schemas"],
  },
  {
    name: "pages/parts",
    what: "pieces of a page that a server writes as markup and the script of `/verify` as nodes: tables, and the case of an answer",
    imports: ["case", "core", "schemas"],
  },
  {
    name: "pages/verify",
    what: "the script of the page `/verify`: judges files in a browser with the code of the command",
    imports: ["pages/parts", "products", "checks", "case", "offline", ...BOTTOM],
  },
  {
    name: "pages",
    what: "the HTML pages: one style, every value escaped by one tag, nothing from another host",
    imports: [
      "pages/verify",
      "pages/views",
      "pages/parts",
      "case",
      "discovery",
      "products",
      "store",
      "sources",
      "keys",
      "http",
      ...BOTTOM,
    ],
  },
  {
    name: "agent",
    what: "the caller's side of the protocol, used by the agent commands",
    imports: [
      "payments/networks",
      "agent-mode",
      "products",
      "products/common",
      "contact",
      "payments",
      "checks",
      ...BOTTOM,
    ],
  },
  {
    name: "agent/module",
    what: "the published `client.mjs` and `verifier.mjs`: the caller's side in any JavaScript engine, with stand-ins for what needs Node or Bun",
    imports: ["agent", "pages/verify", "jobs/buyer-signing", "offline", ...BOTTOM],
  },
  {
    name: "sandbox",
    what: "journeys through a second service in the same process: synthetic keys, lists, chain and clock, the real route map",
    imports: [
      "payments/networks",
      "agent",
      "agent-mode",
      "products",
      "products/common",
      "delivery",
      "sandbox/chain",
      "payments",
      "offline",
      "sources",
      "keys",
      "checks",
      "store",
      "http",
      "db",
      ...BOTTOM,
      "server",
    ],
  },
  {
    name: "data/self-check",
    what: "what `bizauth check` finds: one file for each subject; each line says what was found, why it matters and how to mend it; changes nothing",
    imports: [
      "payments/networks",
      "delivery",
      "payments",
      "data/backup",
      "data",
      "sources",
      "keys",
      "store",
      "db",
      ...BOTTOM,
      "server",
    ],
  },
  {
    name: "admin",
    what: "the operator's listener: a fixed table of metrics, made from numbers that the service keeps anyway",
    imports: ["data/backup", "delivery", "payments", "data", "sources", "keys", "store", "http", ...BOTTOM, "server"],
  },
  {
    name: "cli",
    what: "one folder for each noun, one file for each command, and the table of commands",
    imports: [
      "payments/networks",
      "pages",
      "pages/views",
      "case",
      "admin",
      "data/self-check",
      "sandbox",
      "agent",
      "discovery",
      "agent-mode",
      "products",
      "products/common",
      "contact/mail",
      "offline",
      "release",
      "data/database-move",
      "data/backup",
      "data",
      "store",
      "sources",
      "keys",
      "checks",
      "jobs/buyer-signing",
      "http",
      "db",
      ...BOTTOM,
      "server",
    ],
  },
]
