/** Every setting: its default, help line and parser. The flag, the environment variable and the file key have the same name. */

import { isSandboxIssuer } from "../core/sandbox/sandbox-issuer.ts"
import {
  anyText,
  bigInteger,
  evmAddress,
  hostAndPortOrSocket,
  httpUrl,
  integer,
  list,
  listOf,
  matching,
  mirrorUrl,
  noneAtZero,
  oneOf,
  optional,
  origin,
  ownHostAndPortOrSocket,
  type Parse,
  proxies,
  type SecretForm,
  SettingFault,
  safeOrigin,
  secret,
  sixSlugs,
  toggle,
} from "./setting-kinds.ts"

interface Setting {
  readonly default: string
  readonly help: string
  /** Returns the typed value of a text, or why the text is wrong. */
  readonly parse: Parse<unknown>
  /** The text is the path of a file with a secret. */
  readonly isSecret?: true
  /** What the text in that file must look like, where one pattern says it. */
  readonly form?: SecretForm | null
}

const issuer: Parse<string> = (text) => {
  if (!/^[A-Za-z0-9][A-Za-z0-9._:-]{0,159}$/.test(text)) {
    return new SettingFault("must match the mandate's identifier pattern")
  }
  return isSandboxIssuer(text)
    ? new SettingFault("must not end in :sandbox, as the issuers of synthetic documents do")
    : text
}
const filePath = matching(/^\/[^\p{C}]*[^\p{C}/]$/u, "must be the absolute path of a file")
const shortText = matching(/^[^\p{C}]{0,160}$/u, "must be at most 160 characters without control characters")
const channelSlug = matching(
  /^[a-z][a-z0-9-]{0,31}$/,
  "must be a lower-case letter and at most 31 letters, digits and hyphens",
)
const publicKeys = listOf(
  matching(/^[A-Za-z0-9_-]{43}$/, "must be comma-separated Ed25519 public keys of 43 base64url characters"),
)

/** A test holds them equal to the sets of the endpoint. */
const TOOL_SETS = ["identity", "planning", "sales", "sandbox"] as const
const toolSet: Parse<(typeof TOOL_SETS)[number]> = (text) =>
  TOOL_SETS.find((name) => name === text) ??
  new SettingFault(`must be comma-separated names of sets: ${TOOL_SETS.join(", ")}`)

export const settings = {
  listen: {
    default: "127.0.0.1:8402",
    help: "address to serve on: HOST:PORT, where port 0 takes a free one, or unix:PATH for a proxy on this machine",
    parse: hostAndPortOrSocket,
  },
  base_url: {
    default: "",
    help: "public origin, scheme://host[:port]; default http:// and the listen address",
    parse: optional(origin),
  },
  database_file: secret(
    "file with the URL of a PostgreSQL database, postgres://user:password@host:port/database; without it the database is a file in the data directory; only init and database move choose between them",
  ),
  issuer_id: {
    default: "svc",
    help: "issuer of the service's signatures",
    parse: issuer,
  },
  issuer_name: {
    default: "Business Authorization Service",
    help: "name of the operator shown to agents",
    parse: anyText,
  },
  payments: { default: "off", help: "off, test or live", parse: oneOf("off", "test", "live") },
  rpc_url: { default: "", help: "Ethereum JSON-RPC endpoint of the payment network", parse: optional(httpUrl) },
  rpc_url_second: {
    default: "",
    help: "second, independent endpoint; both must agree before an attempt ends",
    parse: optional(httpUrl),
  },
  single_node_accepted_by: {
    default: "",
    help: "name or case number, 1 to 160 characters, of whoever accepts that live payments rely on one node; without it live needs two hosts",
    parse: optional(shortText),
  },
  pay_to: { default: "", help: "address that receives the decision fees", parse: optional(evmAddress) },
  relayer_key_file: secret("file with the relayer's private key (0x hex); it pays gas and can lose only gas"),
  settler: { default: "self", help: "self (own relayer) or http (hosted facilitator)", parse: oneOf("self", "http") },
  facilitator_url: { default: "", help: "hosted x402 facilitator, with settler = http", parse: optional(httpUrl) },
  eth_usd: {
    default: "4000",
    help: "price of one ether in whole USD, to refuse settlements that cost over a quarter of the price",
    parse: integer(1, 10_000_000),
  },
  reverted_gas_daily_wei: {
    default: "20000000000000000",
    help: "gas that reverted settlements of one payer contract may burn a day",
    parse: bigInteger,
  },
  settle_wait_ms: {
    default: "15000",
    help: "how long a paid request waits for inclusion before it answers 202",
    parse: integer(100, 120_000),
  },
  lease_seconds: {
    default: "30",
    help: "seconds a worker owns a payment attempt without renewing; the same for all processes on one data directory",
    parse: integer(1, 600),
  },
  disk_free_min_mb: {
    default: "256",
    help: "free disk space below which the service gives no quotes",
    parse: integer(0, 1_000_000),
  },
  trusted_proxies: {
    default: "",
    help: "comma-separated addresses and CIDR networks whose X-Forwarded-For is trusted, and unix: for the Unix socket of listen",
    parse: proxies,
  },
  challenge_issuance: toggle("on", "Agent ID challenge issuance, on or off"),
  // CHOICE: the interface counts six channels and does not name them. These are the places where the service describes itself to machines.
  agent_id_channels: {
    default: "acp,mcp,a2a,x402,openapi,ai-catalog",
    help: "the six channels agents come through, comma-separated slugs; acp_channel is one of them",
    parse: sixSlugs,
  },
  acp_channel: {
    default: "acp",
    help: "slug of the agent-commerce (ACP) channel, one of agent_id_channels; paths below /v1/channels/ have it",
    parse: channelSlug,
  },
  acp_jobs: toggle("off", "on: serves on-chain jobs for the Payment Decision; needs payments and the settings acp_*"),
  acp_hub_url: {
    default: "https://api.acp.virtuals.io",
    help: "origin of the hub that carries the messages of jobs; http only on loopback",
    parse: safeOrigin,
  },
  acp_hub_sign_in: {
    default: "eip712",
    help: "how the provider's wallet signs in at the hub: eip712 or personal_sign",
    parse: oneOf("eip712", "personal_sign"),
  },
  acp_provider_key_file: secret(
    "file with the private key (0x hex) of the provider's wallet, which receives what jobs pay",
  ),
  acp_offering_id: {
    default: "",
    help: "id of the offering in the provider listing",
    parse: optional(shortText),
  },
  acp_contract: {
    default: "0x238E541BfefD82238730D00a2208E5497F1832E0",
    help: "address of the escrow contract",
    parse: evmAddress,
  },
  acp_implementations: {
    default: "",
    help: "comma-separated addresses of the code behind the escrow contract that you trust; jobs stop when it is upgraded to other code",
    parse: listOf(evmAddress),
  },
  mail: {
    default: "off",
    help: "smtp: contact by e-mail, with the settings mail_* and smtp_url_file",
    parse: oneOf("off", "smtp"),
  },
  smtp_url_file: secret("file with the URL of your SMTP server, smtp://user:password@host:port or smtps://…"),
  mail_from: { default: "", help: "mailbox of the service, to which agents write", parse: optional(anyText) },
  mail_in_socket: {
    default: "",
    help: "path of the Unix socket (mode 0600) on which the service takes mail from your mail server over SMTP",
    parse: optional(anyText),
  },
  mail_authserv_id: {
    default: "",
    help: "comma-separated authserv-ids of your mail server, whose topmost Authentication-Results header is believed",
    parse: list,
  },
  signature_verification: toggle("on", "verification and registration of agents' signatures, on or off"),
  sales: toggle("on", "signed sales dialogues with agents, on or off"),
  intent_beacon: toggle(
    "off",
    "on: agents may consent to the Intent Beacon and send events; off: no consent or event is taken",
  ),
  agent_mode_planning: toggle("off", "free planning routes for agents, on or off"),
  mcp_sets: {
    default: "",
    help: `comma-separated sets of tools that MCP lists beside its default tools: ${TOOL_SETS.join(", ")}; a client asks for others with ?sets=`,
    parse: listOf(toolSet),
  },
  sandbox: toggle("on", "sandbox journeys over synthetic facts, for agents that rehearse, on or off"),
  sandbox_rehearsal: toggle(
    "off",
    "on: anyone may have a draft decided on this operator's lists in the sandbox, without payment; never in a live directory",
  ),
  uk_companies_house_key_file: secret(
    "file with the API key of the Companies House service; without it only the imported monthly file is used",
    // The user name of HTTP Basic ends at the first colon.
    { matches: /^[\x21-\x39\x3b-\x7e]{8,200}$/, otherwise: "does not hold one API key" },
  ),
  uk_companies_house_url: {
    default: "https://api.company-information.service.gov.uk",
    help: "origin of the Companies House service, for its sandbox or your own gateway; http only on loopback",
    parse: safeOrigin,
  },
  uk_companies_house_requests: {
    default: "550",
    help: "requests in five minutes, of the 600 that Companies House allows a key; the rest is left for other users of the key",
    parse: integer(1, 600),
  },
  sources_fetch: toggle(
    "off",
    "on: serve asks the publishers for new lists by itself; off: only the command `sources fetch` reaches the network",
  ),
  source_mirror: {
    default: "",
    help: "base URL of your own mirror, used instead of every publisher: files below ID/NAME; http and private addresses are allowed",
    parse: optional(mirrorUrl),
  },
  sources_contact: {
    default: "",
    help: "email address or web page for publishers to contact you; sent with every request; the SEC rejects callers without one",
    parse: optional(matching(/^[\x20-\x7e]{0,200}$/, "must be at most 200 printable ASCII characters")),
  },
  sam_key_file: secret(
    "file with the SAM.gov key of the extracts API; without one SAM's public page of files is read",
    { matches: /^[\x21-\x7e]{1,200}$/, otherwise: "holds no key: one line of printable characters is expected" },
  ),
  max_snapshot_skew: {
    default: "120",
    help: "where instances share a PostgreSQL database: seconds that one may answer from an earlier list after another was imported; then it sells nothing with it",
    parse: integer(10, 3600),
  },
  sources_disabled: { default: "", help: "comma-separated source ids that are switched off", parse: list },
  source_manifest_keys: {
    default: "",
    help: "comma-separated Ed25519 public keys (43 base64url characters); with any, sources import takes only snapshots signed by one",
    parse: optional(publicKeys),
  },
  log_level: { default: "info", help: "debug, info, warn or error", parse: oneOf("debug", "info", "warn", "error") },
  access_log: {
    default: "",
    help: "absolute path of a file that gets one line a request with the client's address; without it no output has an address",
    parse: optional(filePath),
  },
  access_log_max_mb: {
    default: "256",
    help: "size at which the access log becomes PATH.1, in place of the one before",
    parse: integer(1, 100_000),
  },
  rate_limits: toggle("on", "per-address request limits, on or off"),
  admin_listen: {
    default: "",
    help: "address that serves /metrics to the operator: loopback HOST:PORT, or unix:PATH for a Unix socket; another address needs admin_token_file",
    parse: optional(ownHostAndPortOrSocket),
  },
  admin_token_file: secret(
    "file (mode 0600) with a token of at least 32 characters, which readers of admin_listen must send as Authorization: Bearer",
    { matches: /^[\x21-\x7e]{32,200}$/, otherwise: "must hold one token of 32 to 200 visible ASCII characters" },
  ),
  desk_listen: {
    default: "",
    help: "address on which reviewers work: loopback HOST:PORT, or unix:PATH for a Unix socket that this user alone may open",
    parse: optional(ownHostAndPortOrSocket),
  },
  desk_url: {
    default: "",
    help: "origin at which reviewers open the desk: http for a name below localhost, else https; default http://bizauth-desk.localhost and the port of desk_listen",
    parse: optional(origin),
  },
  review_target: {
    default: "8",
    help: "hours within which a held answer should be reviewed; the alert BizauthReviewWaits compares with it",
    parse: integer(1, 8760),
  },
  backup_dir: {
    default: "",
    help: "absolute path of the folder for backups; best on another disk",
    parse: optional(anyText),
  },
  backup_every: {
    default: "0",
    help: "hours between two backups into backup_dir; 0 makes none",
    parse: noneAtZero(integer(0, 8760)),
  },
  backup_keep: { default: "14", help: "how many backups stay in backup_dir", parse: integer(1, 1000) },
  backup_lists: toggle("off", "on adds the imported lists and registers to each backup in backup_dir"),
  shutdown_seconds: { default: "20", help: "how long a stop waits for requests in flight", parse: integer(0, 600) },
} as const satisfies Record<string, Setting>
