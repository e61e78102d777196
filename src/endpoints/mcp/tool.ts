import type { ToolSet } from "../../../schemas/discovery/mcp.ts"

export type Members = Readonly<Record<string, unknown>>

/** The operation that a call runs, and its arguments: members of the body and path parameters. */
export interface Routed {
  readonly operation: string
  readonly given: Members
}

export interface Tool {
  readonly name: string
  /** Null: listed by default. */
  readonly set: ToolSet | null
  /** The entry of `tools/list`. */
  readonly line: object
  /** Throws SCHEMA_INVALID for arguments that choose no operation. */
  readonly route: (given: Members) => Routed
}
