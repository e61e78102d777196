/**
 * The layers of the source, their purpose and their allowed imports. The import rules use this table, and docs/reference/layers.md prints
 * it.
 */
export interface Layer {
  /** A folder of `src/`, `schemas`, `db`, or `base`. */
  readonly name: string
  readonly what: string
  /** Layers that it may import in addition to itself. `app` is the files of `src/` that assemble a server. */
  readonly imports: readonly string[]
}

/** Files of `src/` in the layer `base`. The other files are `app`, which imports everything. */
export const BASE_FILES: readonly string[] = [
  "address-list.ts",
  "build-facts.ts",
  "child-program.ts",
  "contact-refusals.ts",
  "durable-file.ts",
  "errors.ts",
  "exit.ts",
  "loopback.ts",
  "machine.ts",
  "log.ts",
  "config.ts",
  "settings.ts",
  "refusals.ts",
  "agent-mode-refusals.ts",
  "system-fault.ts",
  "verified-tls.ts",
  "readiness.ts",
  "worker.ts",
]

/** From the bottom up: a layer imports only layers above it in this table. `cli` also imports the app. */
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
    what: "files of `src/` that every layer with I/O may use: settings, clock, log, refusals, exit codes, faults of the operating system",
    imports: ["core"],
  },
  {
    name: "checks",
    what: "pure gates: `policy/` (gate, rows, judge), `us/`, `gb/`",
    imports: ["core", "schemas"],
  },
  {
    name: "verifier",
    what: "the offline verifier of export bundles: one source for the command and the published module",
    imports: ["core", "schemas"],
  },
  {
    name: "buyer-signing",
    what: "signs an ACP job on the buyer's machine: one source for the command and the published module",
    imports: ["verifier", "core", "schemas"],
  },
  {
    name: "store",
    what: "one file for each aggregate, by subject; each function is one atomic unit of work",
    imports: ["db", "core", "base"],
  },
  {
    name: "keys",
    what: "the service's own signing keys: files, ring, published set",
    imports: ["core", "schemas", "store", "base"],
  },
  {
    name: "http",
    what: "how an operation becomes a route: size, media type, strict JSON, closed schema, problem+json, limits",
    imports: ["core", "schemas", "store", "base"],
  },
  {
    name: "sources",
    what: "restricted-party lists and registers: records, formats, publication, lists, registers, publishers, screening, fetch, schedule",
    imports: ["core", "schemas", "store", "base"],
  },
  {
    name: "data",
    what: "the data directory and its files",
    imports: ["sources", "keys", "store", "db", "core", "base"],
  },
  {
    name: "backup",
    what: "backups of a data directory: make, read, check, restore",
    imports: ["data", "sources", "keys", "store", "db", "core", "schemas", "base"],
  },
  {
    name: "documents",
    what: "offline: read, check and report a stored document",
    imports: ["keys", "store", "core", "schemas", "base"],
  },
  {
    name: "payments",
    what: "x402: quote, verify a payment, settle, watch the chain",
    imports: ["core", "schemas", "store", "base"],
  },
  {
    name: "chain-model",
    what: "an EVM chain and its nodes in memory, with the faults of real ones",
    imports: ["payments", "core", "schemas", "base"],
  },
  {
    name: "delivery",
    what: "the one path of every paid answer: find, quote, claim, decide, seal, settle, reveal, recover",
    imports: ["store", "payments", "core", "schemas", "keys", "base"],
  },
  {
    name: "contact",
    what: "what a draft of a request lacks, and how to complete and buy it: free, without a source",
    imports: ["store", "payments", "core", "http", "schemas", "base"],
  },
  {
    name: "mail",
    what: "contact by e-mail: takes mail, proves mailboxes, sends mail; the only place that imports the packages for mail",
    imports: ["contact", "store", "core", "http", "schemas", "base"],
  },
  {
    name: "acp",
    what: "the job rail: hub, escrow contract, and the worker that serves jobs",
    imports: ["delivery", "payments", "store", "core", "schemas", "base"],
  },
  {
    name: "business-answers",
    what: "what the eight products beside the Payment Decision share: one answer, one sale, one export, one replay",
    imports: [
      "documents",
      "delivery",
      "payments",
      "store",
      "sources",
      "checks",
      "core",
      "http",
      "schemas",
      "keys",
      "base",
    ],
  },
  {
    name: "products",
    what: "one folder for each product: facts (I/O), decide (pure), policy (data), routes (HTTP)",
    imports: [
      "business-answers",
      "documents",
      "delivery",
      "payments",
      "store",
      "sources",
      "checks",
      "core",
      "http",
      "schemas",
      "keys",
      "verifier",
      "db",
      "base",
    ],
  },
  {
    name: "catalogue",
    what: "what is sold and published: products, rules, policies, kinds of documents",
    imports: ["products", "business-answers", "documents", "store", "checks", "core", "http", "schemas", "base"],
  },
  {
    name: "discovery",
    what: "the documents that agents read, printed from the served rows: OpenAPI, well-known documents, capabilities, signed manifest",
    imports: [
      "catalogue",
      "products",
      "delivery",
      "payments",
      "sources",
      "buyer-signing",
      "core",
      "http",
      "schemas",
      "keys",
      "base",
    ],
  },
  {
    name: "mcp",
    what: "the MCP endpoint: two eras of the protocol, tools and resources over the served rows",
    imports: ["discovery", "payments", "core", "http", "schemas", "base"],
  },
  {
    name: "a2a",
    what: "the A2A endpoint: messages that call a free tool",
    imports: ["discovery", "mcp", "core", "http", "schemas", "base"],
  },
  {
    name: "document-view",
    what: "what a stored document says, in words: nothing is verified",
    imports: ["catalogue", "documents", "core", "schemas", "base"],
  },
  {
    name: "pages",
    what: "the HTML pages: one style, every value escaped by one tag, nothing from another host",
    imports: ["document-view", "discovery", "catalogue", "store", "sources", "keys", "http", "core", "schemas", "base"],
  },
  {
    name: "agent",
    what: "the caller's side of the protocol, used by the agent commands",
    imports: ["catalogue", "products", "business-answers", "contact", "payments", "checks", "core", "schemas", "base"],
  },
  {
    name: "sandbox",
    what: "journeys through a second service of this process: synthetic keys, lists, chain and clock, the real route map",
    imports: [
      "agent",
      "catalogue",
      "products",
      "business-answers",
      "delivery",
      "chain-model",
      "payments",
      "documents",
      "sources",
      "keys",
      "checks",
      "store",
      "http",
      "db",
      "core",
      "schemas",
      "base",
      "app",
    ],
  },
  {
    name: "self-check",
    what: "what `bizauth check` finds: one file a subject, each line with what, why and how to mend it; changes nothing",
    imports: ["payments", "backup", "data", "sources", "keys", "store", "db", "core", "schemas", "base", "app"],
  },
  {
    name: "cli",
    what: "one folder for each noun, one file for each command, and the table of commands",
    imports: [
      "pages",
      "document-view",
      "self-check",
      "sandbox",
      "agent",
      "discovery",
      "catalogue",
      "products",
      "business-answers",
      "mail",
      "contact",
      "documents",
      "backup",
      "data",
      "store",
      "sources",
      "keys",
      "checks",
      "buyer-signing",
      "verifier",
      "http",
      "db",
      "core",
      "schemas",
      "base",
      "app",
    ],
  },
]
