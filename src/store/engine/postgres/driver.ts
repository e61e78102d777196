/** The part of the driver that a connection uses. */
import { SQL } from "bun"
import type { PostgresAnswer } from "./postgres-statements.ts"

/** Rows as arrays, in the order of the statement's columns. */
export interface Answer extends PostgresAnswer {
  readonly command: string | null
}

interface Query {
  values(): { execute(): Promise<unknown> }
}

/** One session of a server. A statement without parameters comes as {@link tagged}, any other as text. */
export interface Session {
  (text: TemplateStringsArray): Query
  unsafe(text: string, parameters: unknown[]): Query
}

export interface Client {
  reserve(): Promise<Session>
  close(options: { readonly timeout: number }): Promise<void>
}

export type Driver = (options: SQL.PostgresOrMySQLOptions) => Client

export const bunDriver: Driver = (options) => new SQL(options)

/**
 * A text without parameters must come as a tagged template: it is prepared then, and travels at once. The driver holds any other text back
 * until the connection is idle. Texts are constants of the program, so their number is limited.
 */
export function tagged(text: string): TemplateStringsArray {
  let strings = templates.get(text)
  if (!strings) {
    strings = Object.defineProperty(Object.assign([text], { raw: [text] }), "raw", { enumerable: false })
    templates.set(text, strings)
  }
  return strings
}

const templates = new Map<string, TemplateStringsArray>()
