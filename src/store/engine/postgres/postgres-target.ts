/** Where the database is and how to log in. */
import type { SQL } from "bun"

export interface Host {
  readonly hostname: string
  readonly port: number
}

/** As a URL has it: an IPv6 address in brackets. */
export function hostText({ hostname, port }: Host): string {
  return `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`
}

export interface PostgresTarget {
  /** In the order in which they are tried. At least one. */
  readonly hosts: readonly Host[]
  readonly user: string
  readonly database: string
  /** Has the tables. */
  readonly schema: string
  /** A function, so that printing a target shows no password. */
  login(host: Host): SQL.PostgresOrMySQLOptions
}
