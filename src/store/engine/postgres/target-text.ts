/**
 * Reads the text that says where the database is: `postgres://user:password@host:port/database`, with further hosts behind commas, as libpq
 * reads it. The text is a secret, so no error quotes it.
 */
import type { SQL } from "bun"
import { DatabaseRefused } from "../store-error.ts"
import type { Host, PostgresTarget } from "./postgres-target.ts"

const DEFAULT_PORT = 5432
const SSL_MODES = ["disable", "require", "verify-ca", "verify-full"] as const
type SslMode = (typeof SSL_MODES)[number]
const OPTIONS = ["sslmode", "sslrootcert"]

/** `schema`: has the tables. Throws {@link DatabaseRefused}, which says what is wrong in words of the program only. */
export function readTarget(text: string, schema = "public"): PostgresTarget {
  const found = /^postgres(?:ql)?:\/\/([^@/?#]*)@([^@/?#]*)\/([^@/?#]+)(?:\?([^@#]*))?$/.exec(text.trim())
  if (!found)
    throw new DatabaseRefused(
      `must be postgres://user:password@host:port/database; write @ : / ? # % in percent-encoding`,
    )
  const [, login = "", hostList = "", path = "", query = ""] = found
  const [name = "", password = ""] = login.split(":", 2)
  const username = decoded(name, "the user")
  const secret = decoded(password, "the password")
  if (username === "") throw new DatabaseRefused("names no user")
  if (login.split(":").length > 2) throw new DatabaseRefused("has a : in the password; write %3A")
  const options = readOptions(query)
  const hosts = hostList.split(",").map(readHost)
  const database = decoded(path, "the database")
  return {
    ...{ hosts, schema, database, user: username },
    login: (host) => ({
      ...{ adapter: "postgres", hostname: host.hostname, port: host.port, username, database },
      // Bun would take PGPASSWORD for an empty text.
      password: secret || noPassword,
      connection: { application_name: "bizauth" },
      ...encryption(host, options),
    }),
  }
}

const noPassword = () => ""

function decoded(text: string, part: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new DatabaseRefused(`has a % in ${part} that begins no percent-encoding; write %25`)
  }
}

function readHost(text: string): Host {
  const found = /^(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(?::(\d{1,5}))?$/.exec(text)
  if (!found)
    throw new DatabaseRefused("has a host that is no name or address; several hosts have a comma between them")
  const [, name = "", digits] = found
  const port = digits === undefined ? DEFAULT_PORT : Number(digits)
  if (port < 1 || port > 65_535) throw new DatabaseRefused("has a port outside 1 to 65535")
  return { hostname: name.replace(/^\[|\]$/g, ""), port }
}

interface Options {
  readonly mode: SslMode | null
  /** A file with the certificates that the server's certificate must lead to. Null: those of the system. */
  readonly rootFile: string | null
}

function readOptions(query: string): Options {
  const options = new URLSearchParams(query)
  const names = [...options.keys()]
  if (names.some((name) => !OPTIONS.includes(name)))
    throw new DatabaseRefused("has an option other than sslmode and sslrootcert")
  if (new Set(names).size < names.length) throw new DatabaseRefused("has an option twice")
  const mode = options.get("sslmode")
  if (mode !== null && !isSslMode(mode)) throw new DatabaseRefused(`has an sslmode other than ${SSL_MODES.join(", ")}`)
  const rootFile = options.get("sslrootcert")
  if (rootFile !== null && mode !== null && !mode.startsWith("verify-"))
    throw new DatabaseRefused("has sslrootcert, but its sslmode verifies nothing")
  return { mode, rootFile }
}

function isSslMode(mode: string): mode is SslMode {
  return SSL_MODES.some((known) => known === mode)
}

/**
 * Without an sslmode: a connection to another machine is encrypted, and the server proves its name. The mode travels in a URL, because `tls` has either
 * a mode or certificates. Without a URL Bun would take host, path and options of one in the environment, such as DATABASE_URL.
 */
function encryption({ hostname }: Host, { mode, rootFile }: Options): SQL.PostgresOrMySQLOptions {
  const isLocal = hostname === "localhost" || hostname === "::1" || /^127(\.\d{1,3}){3}$/.test(hostname)
  const chosen = mode ?? (isLocal && rootFile === null ? "disable" : "verify-full")
  const url = `postgres://host/?sslmode=${chosen}`
  if (chosen === "disable" || chosen === "require") return { url, tls: chosen, channelBinding: "disable" }
  return {
    url,
    tls: { rejectUnauthorized: true, ...(rootFile !== null && { ca: Bun.file(rootFile) }) },
    channelBinding: "prefer",
  }
}
