/**
 * What goes wrong on PostgreSQL. The errors of the server and of the driver stay inside this folder: the server puts values of rows into its
 * texts, and those may be secrets.
 */
export type FaultKind =
  /** Another transaction was in the way. The same unit may succeed when it runs again. */
  | "CONFLICT"
  /** A unique key exists. Under concurrency this may be a lost race. */
  | "DUPLICATE"
  /** The connection is gone, and its transaction with it unless it was committing. */
  | "LOST"
  /** The server had no lock, connection or memory in time. */
  | "BUSY"
  | "FULL"
  /** The server cannot read or write its disk. */
  | "IO"
  /** The server does not accept this login, this program or its settings. */
  | "REFUSED"
  /** The database lacks leaves of the log that this process saw: see `log-witness.ts`. */
  | "LOG_SHORTER"
  /** A newer program migrated the database. */
  | "SCHEMA_NEWER"
  /** The database was moved to another place, and takes no write any more. */
  | "MOVED"
  /** The transaction ended before this statement. */
  | "AFTER_ANOTHER"
  | "OTHER"

/** SQLSTATE of the triggers of a database that was moved: see `postgres-tables.ts`. The server has no code of this class. */
export const MOVED_CODE = "BZ001"

/** By SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html) or by the driver's code. The first match counts. */
const KINDS: readonly (readonly [codes: RegExp, kind: FaultKind])[] = [
  [/^(40001|40P01)$/, "CONFLICT"],
  [/^23505$/, "DUPLICATE"],
  [/^25P02$/, "AFTER_ANOTHER"],
  // 57P: the server shuts down or starts. 25P03, 25P04: it ended an idle or long transaction. 25006: it became a standby.
  [/^(08|57P|25P03$|25P04$|25006$|OVERDUE$|STANDBY$)/, "LOST"],
  [/^ERR_POSTGRES_(CONNECTION|IDLE_TIMEOUT|LIFETIME)/, "LOST"],
  [/^E(CONN|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|AI_|NOTFOUND)/, "LOST"],
  [/^LOG_SHORTER$/, "LOG_SHORTER"],
  [/^SCHEMA_NEWER$/, "SCHEMA_NEWER"],
  [new RegExp(`^${MOVED_CODE}$`), "MOVED"],
  [/^53100$/, "FULL"],
  [/^(53|55P03$|57014$|MIGRATING$)/, "BUSY"],
  [/^58/, "IO"],
  // A certificate that leads to no known root, or is another host's, or a file of roots that is missing.
  [/^(UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|CERT_|ERR_TLS_|ENOENT$)/, "REFUSED"],
  [/^(28|3D|SETTINGS$|ERR_POSTGRES_(TLS|AUTHENTICATION|UNSUPPORTED_AUTH|INVALID_SERVER))/, "REFUSED"],
]

/** SQLSTATE classes in whose texts the server quotes values. */
const QUOTING_VALUES = /^(21|22|23|2F|38|44|P0)/

interface Names {
  readonly constraint?: string | undefined
  readonly table?: string | undefined
  readonly column?: string | undefined
}

/** An error of PostgreSQL with what may be shown: code and names, and the server's text only where it quotes no value. */
export class PostgresFault extends Error {
  readonly kind: FaultKind
  constructor(
    /** SQLSTATE, the driver's code, or a word of this folder such as OVERDUE. */
    readonly code: string,
    text: string,
    readonly names: Names = {},
  ) {
    super(`PostgreSQL ${code}: ${text}`)
    this.name = "PostgresFault"
    this.kind = kindOf(code)
  }
}

function kindOf(code: string): FaultKind {
  return KINDS.find(([codes]) => codes.test(code))?.[1] ?? "OTHER"
}

/** Turns an error of the driver into a fault. */
export function faultOf(error: unknown): PostgresFault {
  if (error instanceof PostgresFault) return error
  const { errno, code, constraint, table, column } = (error ?? {}) as Record<string, unknown>
  const found = [errno, code].find((value) => typeof value === "string") as string | undefined
  if (found === undefined) return new PostgresFault("UNKNOWN", "the driver failed")
  const names = Object.fromEntries(
    Object.entries({ constraint, table, column }).filter(([, name]) => typeof name === "string"),
  ) as Names
  return new PostgresFault(found, shownText(found, error, names), names)
}

function shownText(code: string, error: unknown, names: Names): string {
  if (kindOf(code) === "REFUSED") return "the server does not accept this login, or is not the one expected"
  const named = Object.entries(names).map(([kind, name]) => `${kind} ${name}`)
  if (QUOTING_VALUES.test(code)) return named.join(", ") || "a value is not accepted"
  return error instanceof Error ? error.message : "no text"
}
