import type { Static, TSchema } from "@sinclair/typebox"
import { problem } from "./problem.ts"
import type { ResponseSpec } from "./response.ts"

/** The requests of one client address that share a budget (rulings 60). */
export interface RateLimit {
  readonly group: string
  readonly perMinute: number
}

/** The product that a paid route sells. */
export interface SoldProduct {
  readonly id: string
  /** The commercial solution that the product belongs to (Interface, "Products"), or null. */
  readonly solution: string | null
  readonly jurisdiction: "GB" | "US"
  readonly coverage: string
}

/** The product that a free route is part of. */
export interface OwnProduct extends Omit<SoldProduct, "jurisdiction"> {
  readonly jurisdiction: SoldProduct["jurisdiction"] | "GLOBAL"
}

/** A need of a caller that a route meets, as `svc-intents.json` names it. */
export interface Intent {
  readonly name: string
  /** Codes for the needs that the route does not meet. */
  readonly notFor: readonly string[]
  /** Constant members of the body that choose this need. Present if the route meets several needs. */
  readonly chosenBy?: Readonly<Record<string, string>>
  /** What a caller must have before the route can meet this need. */
  readonly planning?: readonly PlanningNeed[]
}

/** AGENT: an enrolled agent. MANDATE, DELEGATION: signed by the buyer's organization. */
export type PlanningNeed = "AGENT" | "MANDATE" | "DELEGATION"

/** One row of the operation table. Everything public about a route is printed from it. It contains only data. */
export interface Operation<Body extends TSchema | undefined = TSchema | undefined> {
  readonly id: string
  readonly method: "GET" | "POST"
  /** Template with `{name}` parameters. A final `*` matches the rest. */
  readonly path: string
  readonly summary: string
  /** PEOPLE: a page. No document for machines lists it, and it is no tool. */
  readonly audience?: "PEOPLE"
  /** Schemas of the path parameters that do not accept every text. */
  readonly parameters?: Readonly<Record<string, TSchema>>
  readonly body: Body
  readonly responses: Readonly<Record<number, ResponseSpec>>
  readonly authentication:
    | "NONE"
    | "X402"
    | "REQUEST_SIGNATURE"
    | "OWNER_SIGNATURE"
    | "MANDATE_KEY"
    | "EXECUTION_ID"
    | "TOKEN"
    /** HTTP Message Signature of an agent (scheme `agentEd25519`). */
    | "AGENT_ED25519"
  readonly lifecycle: "ACTIVE" | "IMPLEMENTED_FLAG_OFF"
  readonly price: { readonly amount: string; readonly asset: string } | null
  /** PUBLIC: any origin may read the document. Paid answers are never PUBLIC (rulings 20). */
  readonly cors: "PUBLIC" | "NONE"
  readonly rateLimit: RateLimit
  /** 400 if the interface requires it for a body that does not match the schema (recovery), else 422. */
  readonly schemaFaultStatus?: 400
  /**
   * REFUSED: raw bank data in the body is a fault like one against the schema (rulings 57). Only identity routes accept any text. Secrets
   * are a fault of every body (rulings 92).
   */
  readonly bankData?: "REFUSED"
  /** Largest body in bytes. Absent: 64 KiB. */
  readonly bodyBytesMax?: number
  /** A sentence for a caller of another method of the path, after the methods that it takes. */
  readonly otherMethods?: string
  /** `x-…` members and fixed response headers of the route. */
  readonly headers?: Readonly<Record<string, string>>
  /** Present if the route is paid. */
  readonly product?: SoldProduct
  readonly intent?: Intent
  /** Further needs that the route meets. */
  readonly furtherIntents?: readonly Intent[]
  /** Present if a free route belongs to one product. */
  readonly partOf?: OwnProduct
  /**
   * Present if the free route is also a tool (MCP, A2A). `READ`: a call changes nothing. `WRITE`: it may. A paid route is always an MCP
   * tool.
   */
  readonly tool?: "READ" | "WRITE"
  /** A complete body for the documents. The examples of paid routes are served at `<path>/example`. */
  readonly exampleBody?: object
  /** True if a call may query a live source of a publisher. */
  readonly queriesSources?: true
}

export type BodyOf<O extends Operation> = O["body"] extends TSchema ? Static<O["body"]> : null

/** Returns the row with the rejections that every route has, unless the row describes them in its own words. */
export function operation<const Body extends TSchema | undefined>(row: Operation<Body>): Operation<Body> {
  return { ...row, responses: { ...bodyRefusals(row), ...REFUSALS, ...row.responses } }
}

const REFUSALS = { 429: problem("Too many requests from this address") } as const
/** Every route with a body makes these refusals. */
const BODY_REFUSALS = {
  400: problem("Body cannot be read as strict JSON"),
  413: problem("Body is over the limit"),
  415: problem("Not application/json, or with a content coding"),
} as const
const SCHEMA_REFUSAL = { 422: problem("Body does not match the closed schema") } as const
/** Refusals that mean the same on every route, by status. */
export const REFUSED_ALIKE: Readonly<Record<number, ResponseSpec>> = {
  ...BODY_REFUSALS,
  ...SCHEMA_REFUSAL,
  ...REFUSALS,
}

function bodyRefusals({ body, schemaFaultStatus }: Pick<Operation, "body" | "schemaFaultStatus">) {
  return { ...(body && BODY_REFUSALS), ...(body && schemaFaultStatus === undefined && SCHEMA_REFUSAL) }
}

/** A route that anyone may call without payment. */
export const FREE = {
  authentication: "NONE",
  lifecycle: "ACTIVE",
  price: { amount: "0", asset: "N/A_NO_CHARGE" },
} as const

/** A free document that any origin may read. */
export const PUBLIC_READ = {
  ...FREE,
  method: "GET",
  body: undefined,
  cors: "PUBLIC",
  rateLimit: { group: "discovery", perMinute: 600 },
} as const
